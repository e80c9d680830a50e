import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { afterEach, expect, test, vi } from "vitest";
import { settlesWithHeight } from "./settled";
import "../../testing/page";

afterEach(() => vi.unstubAllGlobals());

/** An editor of twenty lines with the cursor in one of them, and what gives it another height. */
function editor(line: number) {
  const resized: (() => void)[] = [];
  class Sizes {
    constructor(call: () => void) {
      resized.push(call);
    }
    observe() {}
    disconnect() {}
  }
  vi.stubGlobal("ResizeObserver", Sizes);
  let height = 400;
  const asked = vi.fn();
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockImplementation(() => height);
  const doc = Array.from({ length: 20 }, () => "x").join("\n");
  const listener = EditorView.updateListener.of(({ transactions }) => {
    for (const { effects } of transactions) for (const { value } of effects) asked(value.range?.head);
  });
  const state = EditorState.create({
    doc,
    selection: { anchor: 2 * (line - 1) },
    extensions: [listener, settlesWithHeight],
  });
  const view = new EditorView({ state, parent: document.body });
  const lower = (to: number) => {
    height = to;
    for (const call of resized) call();
  };
  return { view, asked, lower };
}

test("the line of the cursor stays in sight when the editor gets lower", () => {
  const { view, asked, lower } = editor(20);
  lower(200);
  expect(asked).toHaveBeenCalledWith(38);
  view.destroy();
});

test("a line that stays in sight moves nothing, nor does one that was out of sight", () => {
  const { view, asked, lower } = editor(2);
  lower(200);
  expect(asked).not.toHaveBeenCalled();
  lower(10);
  expect(asked).toHaveBeenCalledTimes(1);
  lower(5);
  expect(asked).toHaveBeenCalledTimes(1);
  view.destroy();
});
