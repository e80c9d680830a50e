import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { InferRequestSchema, InferResponseSchema, RepositorySchema } from "../api/conch_pb";
import type { InputDraft } from "./tryDrafts";

beforeEach(() => sessionStorage.clear());

/** The page as it is after a reload: nothing is known but what the session and the program have. */
async function load({ repository = "r", sent = false } = {}) {
  window.dispatchEvent(new Event("pagehide"));
  vi.resetModules();
  const { clients } = await import("../api/client");
  const entries = sent ? [{ id: 1n, time: 5n }] : [];
  vi.spyOn(clients.tryIt, "listHistory").mockResolvedValue({ entries } as never);
  const request = create(InferRequestSchema, {
    model: "digits",
    inputs: ["image", "file"].map((name) => ({
      name,
      datatype: "FP32",
      shape: [1n],
      data: { case: "json" as const, value: "[1]" },
    })),
  });
  const response = create(InferResponseSchema, { ok: true });
  vi.spyOn(clients.tryIt, "getHistory").mockResolvedValue({ entry: entries[0], request, response } as never);
  const { useWorkspace } = await import("../workspace/workspace");
  useWorkspace.setState({ repository: create(RepositorySchema, { id: repository }) });
  return import("./tries");
}

const typed = (values: string): InputDraft => ({ source: "values", shape: [1, 2], values, skip: false });

test("what was typed and not sent is there again after a reload, over what was sent last", async () => {
  const before = await load();
  const file: InputDraft = { source: "file", shape: [1], files: [], skip: false };
  before.patchTry("digits", { inputs: { image: typed("[3, 4]"), file }, batch: 2 });
  before.patchTry("pair", { mode: "json", json: '{"inputs": [', jsonEdited: true });
  const after = await load({ sent: true });
  await after.bringBackTry("digits");
  const { inputs, batch, answer } = after.getTry("digits");
  expect([inputs.image?.values, batch, answer?.at]).toEqual(["[3, 4]", 2, 5]);
  expect(inputs.file).toMatchObject({ source: "values", values: "[1]" }); // as it was sent: a file cannot be kept
  const again = await load();
  await again.bringBackTry("pair");
  expect(again.getTry("pair")).toMatchObject({ mode: "json", json: '{"inputs": [', jsonEdited: true });
});

test("it belongs to its repository, and to its model when that gets another name", async () => {
  const before = await load();
  before.patchTry("digits", { inputs: { image: typed("7") } });
  before.moveTry("digits", "numbers");
  const other = await load({ repository: "other" });
  await other.bringBackTry("numbers");
  expect(other.getTry("numbers").inputs).toEqual({});
  const same = await load();
  await same.bringBackTry("numbers");
  expect(same.getTry("numbers").inputs.image?.values).toBe("7");
});

test("a session that holds something else is not believed", async () => {
  const draft = { source: "file", shape: "x" };
  const models = [
    ["digits", { mode: "form", batch: 1, id: "", json: "", jsonEdited: false, inputs: { draft } }],
  ];
  sessionStorage.setItem("conch-tries", JSON.stringify({ repository: "r", models }));
  const page = await load();
  await page.bringBackTry("digits");
  expect(page.getTry("digits").inputs).toEqual({});
});
