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
  [[1, 16, 128], "true", "384px to 1392px", "224 x 28"],
  [[1, 28, 28], "false", "48px to 174px", "28 x 28"],
  [[1, 32, 800], "true", "1200px to 4350px", "800 x 32"],
  [[400, 32], "false", "48px to 48px", "32 x 400"],
])(
  "a board for %j has a line of its own: %s, takes %s, and has %s cells",
  async (shape, wide, takes, cells) => {
    const slot: Slot = { spec: { name: "x", datatype: "FP32", shape: shape.map(BigInt) }, place: 0 };
    await act(async () => root.render(<DrawInput slot={slot} draft={newDraft(slot)} onChange={() => {}} />));
    expect(document.querySelector("[data-wide]")?.getAttribute("data-wide")).toBe(wide);
    const canvas = document.querySelector<HTMLCanvasElement>("canvas[aria-label='Draw x']");
    const { minWidth, maxWidth } = canvas?.parentElement?.style ?? {};
    expect(`${minWidth} to ${maxWidth}`).toBe(takes);
    expect(`${canvas?.width} x ${canvas?.height}`).toBe(cells);
  },
);
