import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newDraft, type Slot } from "../../requests/tryDrafts";
import { DrawInput } from "./DrawInput";

let root: Root;
beforeEach(() => {
  root = createRoot(document.body.appendChild(document.createElement("div")));
});
afterEach(() => act(() => root.unmount()));

test.each([
  [[1, 16, 128], "true", "1392px"],
  [[1, 28, 28], "false", "174px"],
])("a board for %j has a line of its own: %s, and at most %s", async (shape, wide, width) => {
  const slot: Slot = { spec: { name: "x", datatype: "FP32", shape: shape.map(BigInt) }, place: 0 };
  await act(async () => root.render(<DrawInput slot={slot} draft={newDraft(slot)} onChange={() => {}} />));
  expect(document.querySelector("[data-wide]")?.getAttribute("data-wide")).toBe(wide);
  const sheet = document.querySelector<HTMLElement>("canvas[aria-label='Draw x']")?.parentElement;
  expect(sheet?.style.maxWidth).toBe(width);
});
