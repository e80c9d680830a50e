import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { GetModelResponseSchema, InferResponseSchema } from "../api/conch_pb";
import { forgetTries, getTry, patchTry, showTriesOf } from "../requests/tries";
import { goToModel, usePlace } from "../window/place";
import { profileStep } from "./profileStep";

const details = create(GetModelResponseSchema, { summary: { name: "read" } });
const profiled = () => create(InferResponseSchema, { ok: true, profiles: [{ model: "say" }] });
const answerWith = (response = profiled()) =>
  vi.spyOn(clients.tryIt, "infer").mockImplementation(async function* () {
    yield response;
  });

beforeEach(() => {
  vi.restoreAllMocks();
  showTriesOf("");
  forgetTries();
  goToModel("read", "try");
});

test("the profile of a step is shown when it comes", async () => {
  answerWith();
  await profileStep(details, "say");
  expect(usePlace.getState().model).toBe("say");
});

test("a profile from before is not shown for a request that is not sent, as another one runs", async () => {
  patchTry("read", {
    answer: { at: 1, response: profiled() },
    running: { run: "other", at: 2, stopping: false, sent: getTry("read") },
  });
  await profileStep(details, "say");
  expect(usePlace.getState().model).toBe("read");
});

test("a profile of one server is not looked for in the answer of another", async () => {
  showTriesOf("peer");
  patchTry("read", { answer: { at: 1, response: profiled() } });
  showTriesOf("");
  vi.spyOn(clients.tryIt, "infer").mockImplementation(async function* () {
    showTriesOf("peer");
    yield profiled();
  });
  await profileStep(details, "say");
  expect(usePlace.getState().model).toBe("read");
});
