import { EditorView } from "@codemirror/view";
import { afterEach, expect, test, vi } from "vitest";
import { native } from "../../window/native";
import { selection } from "./caret";

vi.mock("../../window/native");

afterEach(() => vi.useRealTimers());

test("the cursor blinks by a timer while the editor has the focus, and is shown after every key", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const view = new EditorView({ doc: "name", extensions: [selection], parent: document.body });
  const layer = view.scrollDOM.querySelector<HTMLElement>(".cm-cursorLayer");
  const hidden = () => layer?.style.visibility === "hidden";
  expect(layer?.style.animationDuration).toBe("0ms");
  vi.advanceTimersByTime(700);
  expect(hidden()).toBe(false);

  view.focus();
  view.dispatch({ selection: { anchor: 1 } });
  vi.advanceTimersByTime(700);
  expect(hidden()).toBe(true);
  vi.advanceTimersByTime(600);
  expect(hidden()).toBe(false);
  vi.advanceTimersByTime(600);
  expect(hidden()).toBe(true);
  view.dispatch({ changes: { from: 0, insert: "x" } });
  expect(hidden()).toBe(false);

  vi.advanceTimersByTime(11_000);
  expect(hidden()).toBe(false);
  expect(vi.getTimerCount()).toBe(0); // it rests

  view.dispatch({ selection: { anchor: 0 } });
  vi.advanceTimersByTime(700);
  expect(hidden()).toBe(true);
  view.destroy();
  expect(vi.getTimerCount()).toBe(0);
});

test("the window's own caret rests with it, until the next key or another place has the focus", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const RestCaret = vi.fn(async () => {});
  vi.mocked(native).mockReturnValue({ RestCaret } as never);
  const view = new EditorView({ doc: "name", extensions: [selection], parent: document.body });
  view.focus();
  view.dispatch({ selection: { anchor: 1 } });
  vi.advanceTimersByTime(9_000);
  expect(RestCaret).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2_000);
  expect(RestCaret.mock.calls).toEqual([[true]]);
  view.dispatch({ changes: { from: 0, insert: "x" } });
  expect(RestCaret.mock.calls).toEqual([[true], [false]]);
  vi.advanceTimersByTime(11_000);
  view.destroy();
  expect(RestCaret.mock.calls).toEqual([[true], [false], [true], [false]]);
});
