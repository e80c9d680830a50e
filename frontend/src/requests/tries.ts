/** Requests being prepared and their newest answers, one for each model; they outlive switching models and tabs. */
import { create } from "zustand";
import { clients } from "../api/client";
import type { GetHistoryResponse, InferRequest, InferResponse, Version } from "../api/conch_pb";
import { openedRepository } from "../workspace/workspace";
import { draftFromInput } from "./earlier";
import { keepTry, keptTry } from "./keptTries";
import type { Unfinished } from "./numbers";
import { afterResponse, firstOfSequence, type Parameters, type Sequence, sequenceOf } from "./parameters";
import type { InputDraft } from "./tryDrafts";

export type TryMode = "form" | "json";

/** An answer as it came, and when it was asked for. */
export type Answer = {
  readonly at: number; // Unix milliseconds
  readonly response?: InferResponse; // how the request ended; of a decoupled model it comes after its answers
  readonly parts?: readonly InferResponse[]; // the answers of a decoupled model so far
  readonly lacking?: readonly string[]; // outputs that were asked for and not answered
  readonly failure?: unknown; // the request did not reach the engine
  readonly mended?: readonly string[]; // inputs that were wrong then and were right since
  readonly before?: Answer; // of a request that was not sent: what the one before it has, which comes back once all is mended
};

/** A request that has no end yet. */
export type Running = {
  readonly run: string; // its name for the program
  readonly at: number; // Unix milliseconds
  readonly stopping: boolean; // the user stopped it, and its end has not come yet
  readonly sent: ModelTry; // what was entered when it was sent
};

export type ModelTry = {
  readonly mode: TryMode;
  readonly version: bigint; // 0: the newest that is ready
  readonly batch: number; // rows per input, where the model batches
  readonly batchTyped?: Unfinished; // the text in the field of the batch while it is not a number
  readonly inputs: Readonly<Record<string, InputDraft>>;
  readonly sequence: Sequence; // for a model that needs one
  readonly id: string; // of the request, which is typed as JSON
  readonly parameters: Parameters; // typed as JSON; `sequence` counts before those of a sequence, for a model that needs one
  readonly json: string; // follows the form until somebody edits it
  readonly jsonEdited: boolean;
  readonly handed?: InferRequest; // what the form gave, as the JSON has it until it is edited
  readonly running?: Running;
  readonly keepTensors: boolean; // those between an ensemble's steps
  readonly answer?: Answer;
  readonly undone?: Undone;
};

/** What the pane could not do, and why; it goes with the next thing that is done there. */
export type Undone = { readonly what: string; readonly why: string };

const fresh: ModelTry = {
  mode: "form",
  version: 0n,
  batch: 1,
  inputs: {},
  sequence: firstOfSequence,
  id: "",
  parameters: {},
  json: "",
  jsonEdited: false,
  keepTensors: false,
};

type Tries = { readonly byModel: Readonly<Record<string, ModelTry>> };

export const useTries = create<Tries>(() => ({ byModel: {} }));

/** What is being tried on a model; the same object until it changes. */
export function getTry(model: string): ModelTry {
  return tryOf(model)(useTries.getState());
}

/** A selector for the try of one model. */
export const tryOf =
  (model: string) =>
  (state: Tries): ModelTry =>
    state.byModel[model] ?? fresh;

/** What a try has of one server: another one answers for itself, and does not know this one's sequences. */
type OfServer = Pick<ModelTry, "answer" | "running" | "undone" | "sequence">;

const ofServer = ({ answer, running, undone, sequence }: OfServer): OfServer => ({
  answer,
  running,
  undone,
  sequence,
});

/** The same of a server that was not asked yet. */
const beginning = ({ sequence }: ModelTry): OfServer => ({
  answer: undefined,
  running: undefined,
  undone: undefined,
  sequence: { ...sequence, start: true, end: false, load: undefined },
});

/** The name of the server that is shown, "" for this machine. */
let shown = "";

/** What the tries of models have of the servers that are not shown, and of another repository's requests what was entered. */
const aside = new Map<string, Map<string, OfServer & Partial<ModelTry>>>();

export const shownServer = (): string => shown;

/** Shows what another server answered; what is entered stays, and its sequence is to begin there. */
export function showTriesOf(server: string): void {
  if (server === shown) return;
  putAside();
  bringOut(server, useTries.getState().byModel);
}

function putAside(): void {
  const tries = Object.entries(useTries.getState().byModel);
  aside.set(shown, new Map(tries.map(([model, now]) => [model, ofServer(now)])));
}

/** Shows what is aside of a server, with what is entered. */
function bringOut(server: string, entered: Tries["byModel"]): void {
  const before = aside.get(server);
  aside.delete(server);
  shown = server;
  const there = (model: string): ModelTry => {
    const had = before?.get(model);
    const now = { ...fresh, ...had, ...entered[model] };
    return { ...now, ...(had ? ofServer(had) : beginning(now)) };
  };
  const models = new Set([...Object.keys(entered), ...(before?.keys() ?? [])]);
  useTries.setState({ byModel: Object.fromEntries([...models].map((model) => [model, there(model)])) });
}

/** A request that was sent to a server, as it is there now; undefined where it is not known any more. */
export const triedOn = (server: string, model: string): OfServer | undefined =>
  server === shown ? getTry(model) : aside.get(server)?.get(model);

/** Changes what a try has of a server, whether it is shown or not. */
export function patchOn(server: string, model: string, patch: Partial<OfServer>): void {
  const now = triedOn(server, model);
  if (server === shown) patchTry(model, patch);
  else if (now) aside.get(server)?.set(model, { ...now, ...patch });
}

export function patchTry(model: string, patch: Partial<ModelTry>): void {
  useTries.setState(({ byModel }) => ({
    byModel: { ...byModel, [model]: { ...(byModel[model] ?? fresh), ...patch } },
  }));
  keepTry(openedRepository(), model, getTry(model));
}

/** Where a request runs: its server or its model may be called otherwise since it was sent. Undefined once it has ended. */
export function whereRuns(run: string): { readonly server: string; readonly model: string } | undefined {
  const shownTries = Object.entries(useTries.getState().byModel);
  for (const [server, tries] of [[shown, shownTries] as const, ...aside])
    for (const [model, { running }] of tries) if (running?.run === run) return { server, model };
  return undefined;
}

/** A server is called otherwise now. */
export function moveServer(from: string, to: string): void {
  if (shown === from) shown = to;
  const there = aside.get(from);
  aside.delete(from);
  if (there) aside.set(to, there);
  moveAsked((server, model) => askedKey(server === from ? to : server, model));
}

/** A model is called otherwise now. */
export function moveTry(from: string, to: string): void {
  for (const tries of aside.values()) {
    const there = tries.get(from);
    tries.delete(from);
    if (there) tries.set(to, there);
  }
  moveAsked((server, model) => askedKey(server, model === from ? to : model));
  const { [from]: moved, ...byModel } = useTries.getState().byModel;
  if (!moved) return;
  useTries.setState({ byModel: { ...byModel, [to]: moved } });
  keepTry(openedRepository(), from, undefined);
  keepTry(openedRepository(), to, moved);
}

/** The version to ask: the chosen one for as long as the model has it, otherwise 0. */
export function versionToAsk({ version }: ModelTry, has: readonly Version[]): bigint {
  return has.some(({ number }) => number === version) ? version : 0n;
}

/** Changes one input of the request; `draft` is what it was before, as the form shows it. */
export function patchInput(model: string, name: string, draft: InputDraft, patch: Partial<InputDraft>): void {
  patchTry(model, { inputs: { ...getTry(model).inputs, [name]: { ...draft, ...patch } } });
}

/** An input that kept the last request from being sent is right now. */
export function mendInput(model: string, name: string): void {
  const { answer } = getTry(model);
  if (!answer || answer.mended?.includes(name)) return;
  patchTry(model, { answer: { ...answer, mended: [...(answer.mended ?? []), name] } });
}

/** Takes an earlier request, with its answer, back into the form. */
export function loadTry(request: InferRequest, at: number, response: InferResponse | undefined): void {
  const { model, version } = request;
  const answer = response && { at, response };
  const form = formOf(request);
  const sequence = { ...form.sequence, load: BigInt(at) };
  patchTry(model, { mode: "form", version, ...form, sequence, jsonEdited: false, answer });
}

/** Models whose last request was asked for, each with the server that was shown. */
const asked = new Set<string>();

const askedKey = (server: string, model: string): string => `${server}\n${model}`;

function moveAsked(key: (server: string, model: string) => string): void {
  const before = [...asked];
  asked.clear();
  for (const one of before) {
    const [server = "", model = ""] = one.split("\n");
    asked.add(key(server, model));
  }
}

/**
 * Brings the last request of a model and its answer back, as the history of the server has them, and over it what was entered
 * before the page was loaded again. Where something is entered already, only the answer comes back, and the place in its sequence.
 */
export async function bringBackTry(model: string): Promise<void> {
  const server = shown;
  const repository = openedRepository();
  const key = askedKey(server, model);
  const before = getTry(model);
  if (asked.has(key)) return;
  asked.add(key);
  if (before.answer || before.running) return;
  const last = await lastOf(model).catch(() => undefined);
  if (repository !== openedRepository()) return; // its models are others
  if (server !== shown) return void asked.delete(key);
  const now = useTries.getState().byModel[model];
  if (now && last?.request && !now.answer && !now.running) {
    const sequence = now.sequence === before.sequence ? nextAfter(last) : now.sequence;
    patchTry(model, { answer: answerOf(last), sequence });
  }
  if (now) return;
  const entered = keptTry(repository, model);
  if (last?.request) {
    loadTry(last.request, timeOf(last), last.response);
    patchTry(model, { sequence: nextAfter(last) });
  }
  if (entered) patchTry(model, { ...entered, inputs: { ...getTry(model).inputs, ...entered.inputs } });
}

const timeOf = ({ entry }: GetHistoryResponse): number => Number(entry?.time ?? 0n);

const answerOf = (last: GetHistoryResponse): Answer | undefined =>
  last.response && { at: timeOf(last), response: last.response };

/** The place of the request that follows, while the model stays loaded. */
function nextAfter(last: GetHistoryResponse): Sequence {
  const { request, response } = last;
  const sent = request && sequenceOf(request);
  const from = { ...(sent ?? firstOfSequence), load: BigInt(timeOf(last)) };
  return sent && response ? afterResponse(from, response) : from;
}

async function lastOf(model: string) {
  const { entries } = await clients.tryIt.listHistory({ model, limit: 1 });
  return entries[0] && clients.tryIt.getHistory({ id: entries[0].id });
}

/**
 * Another repository is open now: its models are others, whatever they are called. A request that runs on a server elsewhere
 * stays with that server, which may be shown beside this repository too; the history of the server has those that ended.
 */
export function forgetTries(): void {
  asked.clear();
  putAside();
  aside.delete("");
  for (const tries of aside.values())
    for (const [model, now] of tries)
      if (now.running) tries.set(model, { ...now.running.sent, ...ofServer(now) });
      else tries.delete(model);
  bringOut(shown, {});
}

type FormPart = "inputs" | "batch" | "batchTyped" | "sequence" | "id" | "parameters";

/** What the form has of a request beside its tensors. */
const besidesOf = (request: InferRequest) => ({
  sequence: sequenceOf(request) ?? firstOfSequence,
  id: request.id,
  parameters: request.parameters,
});

/** A request as the form shows it. Its rows are those of its first input: the form has one batch for all. */
export function formOf(request: InferRequest): Pick<ModelTry, FormPart> {
  const inputs = Object.fromEntries(request.inputs.map((input) => [input.name, draftFromInput(input)]));
  const rows = Number(request.inputs.find(({ shape }) => shape.length > 0)?.shape[0] ?? 1n);
  return { inputs, batch: Math.max(1, rows), batchTyped: undefined, ...besidesOf(request) };
}
