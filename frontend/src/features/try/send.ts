/** From a request to its answer. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { clients } from "../../api/client";
import type { GetModelResponse, InferRequestSchema, InferResponse } from "../../api/conch_pb";
import { describeError } from "../../api/errors";
import { keys, queryClient } from "../../api/queries";
import { afterResponse, type Sequence } from "../../requests/parameters";
import { withPictures } from "../../requests/pictures";
import { buildRequest } from "../../requests/request";
import {
  type Answer,
  getTry,
  type ModelTry,
  patchOn,
  patchTry,
  shownServer,
  triedOn,
  whereRuns,
} from "../../requests/tries";
import { useWorkspace, whyOff } from "../../workspace/workspace";
import { beginAnswer } from "./beginning";
import { isOwn } from "./failure";

/** Sends what is entered and keeps the answer beside it, which it gives too. One at a time for each model. */
export async function send(model: GetModelResponse, how?: "profile"): Promise<InferResponse | undefined> {
  const name = model.summary?.name ?? "";
  const entered = getTry(name);
  if (entered.running) return undefined;
  const off = whyOff("engine");
  if (off) {
    patchTry(name, { undone: { what: "The request was not sent", why: `${off}.` } });
    return undefined;
  }
  const at = Date.now();
  const run = `${at}-${Math.random()}`;
  // A server elsewhere tells of no load but of one that it did since it is followed.
  const load = useWorkspace.getState().models.get(name)?.loaded || BigInt(at);
  // What comes for a request that is no longer this model's, such as after another repository was opened, is left out.
  const patch = (change: Pick<Partial<ModelTry>, "answer" | "running" | "sequence">) => {
    const place = whereRuns(run);
    if (!place) return;
    const before = triedOn(place.server, place.model)?.answer;
    if (place.server === shownServer() && change.answer && before?.at !== at)
      beginAnswer(place.model, before, change.answer);
    patchOn(place.server, place.model, change);
  };
  patchTry(name, { running: { run, at, stopping: false, sent: entered }, undone: undefined });
  let response: InferResponse | undefined;
  const parts = new Parts((soFar) => patch({ answer: { at, parts: soFar } }));
  try {
    const built = await buildRequest(model, entered);
    const whole = await withPictures(model, entered, built);
    const request = { ...whole, keepTensors: entered.keepTensors, run, profile: how === "profile" };
    response = await answerOf(request, parts);
    patch({
      running: undefined,
      ...(model.needsSequence && entered.mode === "form" && goOn(entered, sequenceNow(run), response, load)),
      answer: {
        at,
        response,
        parts: response.decoupled ? parts.all() : undefined,
        lacking: lackingOf(model, built, response),
      },
    });
  } catch (failure) {
    const came = parts.any() ? parts.all() : undefined;
    const before = isOwn(failure) ? sentBefore(entered.answer) : undefined;
    patch({ running: undefined, answer: { at, failure, parts: came, before } });
  }
  void queryClient.invalidateQueries({ queryKey: keys.history(name) });
  void queryClient.invalidateQueries({ queryKey: keys.history("") });
  return response;
}

/** The answer of the last request that was sent. */
const sentBefore = (answer: Answer | undefined) => (isOwn(answer?.failure) ? answer?.before : answer);

function sequenceNow(run: string): Sequence | undefined {
  const place = whereRuns(run);
  return place && triedOn(place.server, place.model)?.sequence;
}

/** The place of the next request in its sequence, unless another one was entered meanwhile. */
const goOn = (sent: ModelTry, now: Sequence | undefined, response: InferResponse, load: bigint) =>
  now === sent.sequence && { sequence: afterResponse(sent.sequence, response, load) };

/** The outputs that were asked for, else those of the config, without which a request succeeded: a server takes that. */
function lackingOf(
  { outputs }: GetModelResponse,
  asked: MessageInitShape<typeof InferRequestSchema>,
  { ok, decoupled, outputs: answered }: InferResponse,
): string[] {
  if (!ok || decoupled) return [];
  const names = asked.outputs?.length ? asked.outputs : outputs.map(({ name }) => name);
  return names.filter((name) => !answered.some((output) => output.name === name));
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
    const place = whereRuns(running.run);
    if (!place) return; // it ended meanwhile
    const why = describeError(error).message;
    patchOn(place.server, place.model, { running, undone: { what: "The request was not stopped", why } });
  }
}
