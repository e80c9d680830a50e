import { act } from "react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeVersionOf, useVersionFiles } from "../../window/versionFiles";
import { button, field, showFiles } from "./shown";

let end: () => Promise<void>;

beforeEach(async () => {
  const files = [{ path: "config.pbtxt" }, { path: "1/model.py" }, { path: "3/", note: "no files yet" }];
  end = await showFiles(files);
});

afterEach(async () => {
  await end();
});

test("files that were dropped for a new model become a version here", async () => {
  await act(async () => makeVersionOf("other", [new File(["x"], "a.onnx")]));
  expect(field()).toBeNull();
  await act(async () => makeVersionOf("mine", [new File(["x"], "a.onnx")]));
  expect([field()?.value, button("Create 4/")?.disabled]).toEqual(["4", false]);
  expect(document.querySelector("[role=dialog]")?.textContent).toContain("a.onnx");
  await act(async () => button("Cancel")?.click());
  expect([field(), useVersionFiles.getState().files]).toEqual([null, []]);
});
