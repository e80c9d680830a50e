/** From what was entered to a request, and from a request to its answer. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { clients } from "../../api/client";
import {
  type GetModelResponse,
  type InferInput,
  InferInputSchema,
  type InferRequest,
  InferRequestSchema,
  type InferResponse,
} from "../../api/conch_pb";
import { describeError } from "../../api/errors";
import { keys, queryClient } from "../../api/queries";
import { elementCount } from "../../lib/tensor";
import { buildInput } from "../../requests/building";
import { getTry, type ModelTry, patchTry, versionToAsk } from "../../requests/tries";
import { fitDraft, type InputDraft, type Slot, slotsOf } from "../../requests/tryDrafts";
import { whyOff } from "../../workspace/workspace";
import { fromJson } from "./json";

/** Why an input could not be made into a tensor. */
export type InputProblem = { readonly input: string; readonly message: string };

/** All inputs that could not be made into tensors; the form shows each message beside its input. */
export class InputsError extends Error {
  readonly problems: readonly InputProblem[];
  constructor(problems: readonly InputProblem[]) {
    super(problems.map(({ input, message }) => `Input "${input}": ${message}`).join("\n"));
    this.problems = problems;
  }
}

/** The request as it stands. Throws an InputsError, or a plain Error in JSON mode. */
export async function buildRequest(model: GetModelResponse, entered: ModelTry): Promise<InferRequest> {
  const name = model.summary?.name ?? "";
  const version = versionToAsk(entered, model.summary?.versions ?? []);
  if (entered.mode === "json") return { ...(await fromJson(name, entered.json)), version };
  const slots = slotsOf(model.inputs, model.maxBatchSize, entered.batch);
  if (entered.batchTyped && slots.some(({ batch }) => batch !== undefined))
    throw new Error(entered.batchTyped.problem);
  const inputs: InferInput[] = [];
  const problems: InputProblem[] = [];
  for (const [slot, draft] of sentOf(slots, entered)) {
    try {
      inputs.push(await buildInput(slot, draft));
    } catch (error) {
      problems.push({ input: slot.spec.name, message: (error as Error).message });
    }
  }
  if (problems.length > 0) throw new InputsError(problems);
  return create(InferRequestSchema, { model: name, version, inputs });
}

const mostAsText = 100_000; // elements; a text of more would stop the window for seconds

/** The form's request as it can be read and edited: inputs that are not complete, or very large, have no values. */
export async function requestSoFar(model: GetModelResponse, entered: ModelTry): Promise<InferRequest> {
  const slots = slotsOf(model.inputs, model.maxBatchSize, entered.batch);
  const inputs = sentOf(slots, entered).map(async ([slot, draft]) => {
    const { name, datatype } = slot.spec;
    const empty = create(InferInputSchema, { name, datatype, shape: draft.shape.map(BigInt) });
    if (elementCount(draft.shape) > mostAsText) return empty;
    try {
      return await buildInput(slot, draft);
    } catch {
      return empty;
    }
  });
  return create(InferRequestSchema, { model: model.summary?.name ?? "", inputs: await Promise.all(inputs) });
}

/** The inputs that are not left out. */
function sentOf(slots: readonly Slot[], entered: ModelTry): (readonly [Slot, InputDraft])[] {
  return slots
    .map((slot) => [slot, fitDraft(slot, entered.inputs[slot.spec.name])] as const)
    .filter(([, draft]) => !draft.skip);
}

/** Sends what is entered and keeps the answer beside it. One at a time for each model. */
export async function send(model: GetModelResponse, how?: "profile"): Promise<void> {
  const name = model.summary?.name ?? "";
  const entered = getTry(name);
  if (entered.running) return;
  const off = whyOff("engine");
  if (off) {
    patchTry(name, { undone: { what: "The request was not sent", why: `${off}.` } });
    return;
  }
  const at = Date.now();
  const run = `${at}-${Math.random()}`;
  // What comes for a request that is no longer this model's, such as after another repository was opened, is left out.
  const patch = (change: Partial<ModelTry>) => {
    if (getTry(name).running?.run === run) patchTry(name, change);
  };
  patchTry(name, { running: { run, at, stopping: false }, undone: undefined });
  const parts = new Parts((soFar) => patch({ answer: { at, parts: soFar } }));
  try {
    const built = await buildRequest(model, entered);
    const request = { ...built, keepTensors: entered.keepTensors, run, profile: how === "profile" };
    const response = await answerOf(request, parts);
    patch({
      running: undefined,
      answer: { at, response, parts: response.decoupled ? parts.all() : undefined },
    });
  } catch (failure) {
    patch({ running: undefined, answer: { at, failure, parts: parts.any() ? parts.all() : undefined } });
  }
  void queryClient.invalidateQueries({ queryKey: keys.history(name) });
  void queryClient.invalidateQueries({ queryKey: keys.history("") });
}

/** A decoupled model may answer thousands of times a second: its answers are shown together. */
const showEveryMs = 50;

/** The answers of a decoupled model. `show` is called with those so far, now and then, until `all` is asked for. */
class Parts {
  private readonly list: InferResponse[] = [];
  private readonly show: (list: readonly InferResponse[]) => void;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(show: (list: readonly InferResponse[]) => void) {
    this.show = show;
  }

  add(part: InferResponse): void {
    this.list.push(part);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.show([...this.list]);
    }, showEveryMs);
  }

  any(): boolean {
    return this.list.length > 0;
  }

  all(): readonly InferResponse[] {
    clearTimeout(this.timer);
    return this.list;
  }
}

/** Reads the messages of a request to the last one, which says how it ended. */
async function answerOf(
  request: MessageInitShape<typeof InferRequestSchema>,
  parts: Parts,
): Promise<InferResponse> {
  let end: InferResponse | undefined;
  for await (const message of clients.tryIt.infer(request)) {
    if (message.partial) parts.add(message);
    else end = message;
  }
  if (!end) throw new ConnectError("the answer ended too early", Code.Unavailable);
  return end;
}

/** Stops the running request of a model. What it answered so far stays. */
export async function stop(name: string): Promise<void> {
  const { running } = getTry(name);
  if (!running || running.stopping) return;
  patchTry(name, { running: { ...running, stopping: true }, undone: undefined });
  try {
    await clients.tryIt.stopInfer({ run: running.run });
  } catch (error) {
    if (getTry(name).running?.run !== running.run) return; // it ended meanwhile
    const why = describeError(error).message;
    patchTry(name, { running, undone: { what: "The request was not stopped", why } });
  }
}
