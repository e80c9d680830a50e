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

test("files that are dropped here can become a version instead of being added to one; what lies beside the config cannot", async () => {
  const drop = (...names: string[]) =>
    act(async () => {
      const event = new Event("drop", { bubbles: true, cancelable: true });
      const files = names.map((name) => new File(["x"], name));
      Object.assign(event, { dataTransfer: { types: ["Files"], files } });
      document.querySelector("table")?.dispatchEvent(event);
    });
  await drop("requirements.txt");
  expect([field()?.value, button("New version of mine…")]).toEqual(["", undefined]);
  await act(async () => button("Cancel")?.click());
  await drop("a.onnx");
  expect(field()?.value).toBe("3");
  await act(async () => button("New version of mine…")?.click());
  expect([field()?.value, button("Create 4/")?.disabled]).toEqual(["4", false]);
  expect(document.querySelector("[role=dialog]")?.textContent).toContain("a.onnx");
  await act(async () => button("Cancel")?.click());
  expect(field()).toBeNull();
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
