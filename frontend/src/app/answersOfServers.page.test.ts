import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  Engine_State,
  GetHistoryResponseSchema,
  GetModelResponseSchema,
  InferRequestSchema,
  type InferResponse,
  InferResponseSchema,
  RepositorySchema,
  WorkspaceUpdateSchema,
} from "../api/conch_pb";
import { send, stop } from "../features/try/send";
import { afterLoad, written } from "../requests/parameters";
import {
  bringBackTry,
  forgetTries,
  getTry,
  moveServer,
  moveTry,
  patchTry,
  shownServer,
} from "../requests/tries";
import { useWorkspace } from "../workspace/workspace";
import { receive } from "./session";

const model = create(GetModelResponseSchema, { summary: { name: "m" }, needsSequence: true });
const answered = (modelVersion: string) => create(InferResponseSchema, { ok: true, modelVersion });
const shown = () => getTry("m").answer?.response?.modelVersion;

/** Another server is shown, "" for this machine. */
const show = (name: string) =>
  receive(
    create(WorkspaceUpdateSchema, {
      engine: { state: Engine_State.READY, remote: name === "" ? undefined : { name } },
    }),
  );

/** The next request is answered when the test says so. */
function answerLater(): (response: InferResponse) => void {
  let answer: (response: InferResponse) => void = () => {};
  const coming = new Promise<InferResponse>((resolve) => (answer = resolve));
  vi.spyOn(clients.tryIt, "infer").mockImplementation(async function* () {
    yield await coming;
  });
  return answer;
}

beforeEach(() => {
  show("");
  forgetTries();
  vi.restoreAllMocks();
});

test("the answer of a server is shown with that server alone", async () => {
  const answer = answerLater();
  const sending = send(model);
  answer(answered("1"));
  await sending;
  expect(shown()).toBe("1");
  show("peer");
  expect(getTry("m").answer).toBeUndefined();
  show("");
  expect(shown()).toBe("1");
});

test("an answer that comes while another server is shown is there when its own is shown again", async () => {
  const answer = answerLater();
  const sending = send(model);
  show("peer");
  expect(getTry("m").running).toBeUndefined(); // a request can be sent to this one
  patchTry("m", { batch: 3 });
  answer(answered("1"));
  await sending;
  expect(getTry("m").answer).toBeUndefined();
  show("");
  expect([shown(), getTry("m").running, getTry("m").batch]).toEqual(["1", undefined, 3]);
});

test("a request goes on with its server and its model under other names, and can be stopped", async () => {
  const answer = answerLater();
  show("peer");
  const sending = send(model);
  moveServer("peer", "better");
  show("better");
  expect([shownServer(), getTry("m").running !== undefined]).toEqual(["better", true]);
  const stopInfer = vi.spyOn(clients.tryIt, "stopInfer").mockResolvedValue({} as never);
  await stop("m");
  expect(stopInfer).toHaveBeenCalledOnce();
  show("");
  moveServer("better", "best");
  moveTry("m", "n");
  answer(answered("1"));
  await sending;
  expect(getTry("n").answer).toBeUndefined();
  show("best");
  expect([getTry("n").answer?.response?.modelVersion, getTry("n").running]).toEqual(["1", undefined]);
});

test("what was asked for under one name is not asked for again under another", async () => {
  const listHistory = history({ peer: { modelVersion: "1", start: true } });
  show("peer");
  await bringBackTry("m");
  moveServer("peer", "better");
  moveTry("m", "n");
  show("better");
  await bringBackTry("n");
  expect(listHistory).toHaveBeenCalledOnce();
});

test("a sequence begins again with a server elsewhere that was started again since", async () => {
  const answer = answerLater();
  show("peer");
  const sending = send(model);
  answer(answered("1"));
  await sending;
  const { sequence } = getTry("m");
  expect([sequence.start, afterLoad(sequence, 0n).start]).toEqual([false, false]);
  expect(afterLoad(sequence, BigInt(Date.now() + 1)).start).toBe(true);
});

test("that a request could not be stopped is said with its server, where it goes on", async () => {
  const answer = answerLater();
  const sending = send(model);
  let fail: (error: Error) => void = () => {};
  const stopInfer = vi.spyOn(clients.tryIt, "stopInfer");
  stopInfer.mockReturnValue(new Promise<never>((_, reject) => (fail = reject)));
  const stopping = stop("m");
  show("peer");
  fail(new Error("out of reach"));
  await stopping;
  expect(getTry("m").undone).toBeUndefined();
  show("");
  const { running, undone } = getTry("m");
  expect([running?.stopping, undone?.what]).toEqual([false, "The request was not stopped"]);
  answer(answered("1"));
  await sending;
});

test("a sequence goes on with the server that knows it, and begins with another", async () => {
  const answer = answerLater();
  const sending = send(model);
  answer(answered("1"));
  await sending;
  expect(getTry("m").sequence.start).toBe(false);
  show("peer");
  expect(getTry("m").sequence.start).toBe(true);
  show("");
  expect(getTry("m").sequence.start).toBe(false);
});

/** The history of each server has one request of the model. */
function history(of: Record<string, { modelVersion: string; start: boolean }>) {
  const entries = () => Promise.resolve({ entries: [{ id: 1n }] } as never);
  const listHistory = vi.spyOn(clients.tryIt, "listHistory").mockImplementation(entries);
  vi.spyOn(clients.tryIt, "getHistory").mockImplementation(async () => {
    const { modelVersion, start } = of[shownServer()] ?? { modelVersion: "", start: true };
    const parameters = written({ sequence_id: 7n, ...(start && { sequence_start: true }) });
    const request = create(InferRequestSchema, { model: "m", parameters });
    return create(GetHistoryResponseSchema, { request, response: answered(modelVersion) });
  });
  return listHistory;
}

test("a server that was not shown before shows its last answer, and its sequence goes on", async () => {
  history({ "": { modelVersion: "1", start: true }, peer: { modelVersion: "2", start: false } });
  await bringBackTry("m");
  patchTry("m", { batch: 3 });
  expect([shown(), getTry("m").sequence]).toMatchObject(["1", { id: "7", start: false }]);
  show("peer");
  await bringBackTry("m");
  expect([shown(), getTry("m").sequence.start, getTry("m").batch]).toEqual(["2", false, 3]);
});

test("an answer comes back beside what was entered while it was asked for", async () => {
  history({ "": { modelVersion: "1", start: true } });
  const bringing = bringBackTry("m");
  patchTry("m", { batch: 3 });
  await bringing;
  expect([shown(), getTry("m").batch, getTry("m").sequence]).toMatchObject([
    "1",
    3,
    { id: "7", start: false },
  ]);
});

/** The history tells the first that asks only when the test says so. */
function historyLater(): () => void {
  let tell: () => void = () => {};
  const asked = new Promise<void>((resolve) => (tell = resolve));
  history({ "": { modelVersion: "1", start: true } }).mockImplementationOnce(async () => {
    await asked;
    return { entries: [{ id: 1n }] } as never;
  });
  return tell;
}

test("what the history of a server answers late is no answer of the next one", async () => {
  const tell = historyLater();
  const bringing = bringBackTry("m");
  show("peer");
  tell();
  await bringing;
  expect(getTry("m").answer).toBeUndefined();
  show("");
  await bringBackTry("m"); // it is asked once more
  expect(shown()).toBe("1");
});

test("what the history of a repository answers late is no request of the next one", async () => {
  const tell = historyLater();
  const bringing = bringBackTry("m");
  useWorkspace.setState({ repository: create(RepositorySchema, { id: "other" }) });
  forgetTries();
  tell();
  await bringing;
  expect(getTry("m").answer).toBeUndefined();
});

test("a request that runs on a server elsewhere is shown beside another repository too, and then its answer", async () => {
  const answer = answerLater();
  show("peer");
  patchTry("m", { batch: 3 });
  const sending = send(model);
  patchTry("m", { batch: 5 });
  patchTry("n", { batch: 5 });
  forgetTries();
  expect([getTry("m").running !== undefined, getTry("m").batch, getTry("n").batch]).toEqual([true, 3, 1]);
  answer(answered("1"));
  await sending;
  expect([shown(), getTry("m").running, getTry("m").batch]).toEqual(["1", undefined, 3]);
});

test("so it is where the other repository shows that server later, also after the answer", async () => {
  const answer = answerLater();
  show("peer");
  patchTry("m", { batch: 3 });
  const sending = send(model);
  show("");
  forgetTries();
  expect([getTry("m").running, getTry("m").batch]).toEqual([undefined, 1]);
  show("peer");
  expect([getTry("m").running !== undefined, getTry("m").batch]).toEqual([true, 3]);
  forgetTries();
  show("");
  forgetTries();
  answer(answered("1"));
  await sending;
  expect(shown()).toBeUndefined();
  show("peer");
  expect([shown(), getTry("m").running, getTry("m").batch]).toEqual(["1", undefined, 3]);
});

test("what is entered for the other repository stays when that server is shown", async () => {
  const answer = answerLater();
  show("peer");
  const sending = send(model);
  show("");
  forgetTries();
  patchTry("m", { batch: 4 });
  show("peer");
  expect([getTry("m").running !== undefined, getTry("m").batch]).toEqual([true, 4]);
  answer(answered("1"));
  await sending;
});

test("a request that runs on the engine of a repository is not shown in another one", async () => {
  for (const elsewhere of ["", "peer"]) {
    const answer = answerLater();
    const sending = send(model);
    show(elsewhere);
    forgetTries();
    expect(getTry("m").running).toBeUndefined();
    show("");
    expect(getTry("m").running).toBeUndefined();
    answer(answered("1"));
    await sending;
    expect(shown()).toBeUndefined();
  }
});
