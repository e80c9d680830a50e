import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  Engine_State,
  GetModelResponseSchema,
  type InferResponse,
  InferResponseSchema,
  WorkspaceUpdateSchema,
} from "../api/conch_pb";
import { send } from "../features/try/send";
import { bringBackTry, forgetTries, getTry, patchTry } from "../requests/tries";
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

test("what the history of a server answers late is no answer of the next one", async () => {
  let tell: () => void = () => {};
  const asked = new Promise<void>((resolve) => (tell = resolve));
  vi.spyOn(clients.tryIt, "listHistory").mockImplementation(async () => {
    await asked;
    return { entries: [{ id: 1n }] } as never;
  });
  const request = { model: "m", version: 0n, inputs: [], parameters: {}, id: "" };
  vi.spyOn(clients.tryIt, "getHistory").mockResolvedValue({ request, response: answered("1") } as never);
  const bringing = bringBackTry("m");
  show("peer");
  tell();
  await bringing;
  expect(getTry("m").answer).toBeUndefined();
});
