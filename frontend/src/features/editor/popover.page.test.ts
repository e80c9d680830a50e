import { create } from "@bufbuild/protobuf";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { expect, test, vi } from "vitest";
import { Diagnostic_Severity, DiagnosticSchema, FixSchema, RelatedSchema } from "../../api/conch_pb";
import { keys } from "../../window/keys";
import { openAndType, startApp } from "./fakeApp";
import { type Finding, findingsField, setFindings } from "./findings";
import { applyFix, quickFix } from "./fixes";
import { popover, showFinding } from "./popover";
import "../../testing/page";

const finding = (message: string): Finding => ({
  from: 6,
  to: 8,
  diagnostic: create(DiagnosticSchema, { severity: Diagnostic_Severity.ERROR, message, code: "I03" }),
});

/** An editor with explanations. */
function explained(also: Extension = []) {
  const view = new EditorView({
    state: EditorState.create({
      doc: "dims: 63",
      extensions: [findingsField, popover(() => undefined), also],
    }),
    parent: document.body.appendChild(document.createElement("div")),
  });
  const find = (...list: Finding[]) => view.dispatch({ effects: setFindings.of({ list, hints: [] }) });
  const shown = () => view.dom.querySelector("[aria-label=Problem]")?.textContent;
  return { view, find, shown };
}

test("an explanation follows what is found, and goes when nothing is found there", () => {
  const { view, find, shown } = explained();
  const first = finding("the dims are empty");
  find(first);
  view.dispatch({ effects: showFinding.of(first) });
  expect(shown()).toContain("the dims are empty");
  find(finding("63 elements here, 64 in the model file"));
  expect(shown()).toContain("63 elements here");
  expect(shown()).not.toContain("the dims are empty");
  find();
  expect(shown()).toBeUndefined();
  view.destroy();
});

test("of two findings at a place the one that is explained stays, with what is new of it", () => {
  const { view, find, shown } = explained();
  const grave: Finding = { ...finding("the whole field is wrong"), from: 0 };
  const warning = (line: number): Finding => {
    const one = finding("another model has an error of its own");
    Object.assign(one.diagnostic, { severity: Diagnostic_Severity.WARNING, code: "E01" });
    one.diagnostic.related = [create(RelatedSchema, { model: "digits", path: "config.pbtxt", line })];
    return one;
  };
  find(grave, warning(9));
  view.dispatch({ effects: showFinding.of(warning(9)) });
  expect(shown()).toContain("line 9");
  find(grave, warning(12));
  expect(shown()).toContain("another model has an error of its own");
  expect(shown()).toContain("line 12");
  find(grave);
  expect(shown()).toContain("the whole field is wrong");
  view.destroy();
});

test("of several fixes the first gets the focus; from there keys lead on in the text, and Escape back to it", () => {
  const next = vi.fn(() => true);
  const { view, find, shown } = explained(keymap.of([{ key: keys.nextProblem.press, run: next }]));
  const several = finding("63 elements here, 64 in the model file");
  several.diagnostic.related = [create(RelatedSchema, { model: "digits", line: 9 })];
  several.diagnostic.fixes = ["write 64", "write -1"].map((title) => create(FixSchema, { title }));
  find(several);
  view.dispatch({ selection: { anchor: 7 } });
  quickFix(view, { model: "m", path: "config.pbtxt" }, "\n");
  expect(document.activeElement?.textContent).toContain("write 64");
  const press = (key: string) =>
    document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  press("F8");
  expect(next).toHaveBeenCalledTimes(1);
  press("Escape");
  expect(shown()).toBeUndefined();
  expect(view.hasFocus).toBe(true);
  view.destroy();
});

test("after a repair at the cursor, typing goes on behind it", () => {
  const { view, find } = explained();
  find(finding("wrong"));
  view.dispatch({ selection: { anchor: 6 } });
  const edits = [{ from: 6, to: 8, insert: "[ 64 ]" }];
  applyFix(view, create(FixSchema, { edits }), {
    file: { model: "m", path: "config.pbtxt" },
    lineBreak: "\n",
  });
  expect(view.state.selection.main.head).toBe("dims: [ 64 ]".length);
  view.destroy();
});

test("a problem is explained once where the cursor came to rest, not again because more was found after a fix or a save", () => {
  vi.useFakeTimers();
  const { view, find, shown } = explained();
  const rest = () => vi.advanceTimersByTime(2000);
  view.focus();
  find(finding("wrong"));
  rest();
  expect(shown()).toBeUndefined(); // nobody put the cursor there
  view.dispatch({ selection: { anchor: 7 } });
  rest();
  expect(shown()).toContain("wrong");
  view.dispatch({ effects: showFinding.of(undefined) }); // as a save does
  find(finding("wrong in another way"));
  rest();
  expect(shown()).toBeUndefined();
  const edits = [{ from: 6, to: 7, insert: "4" }];
  applyFix(view, create(FixSchema, { edits }), {
    file: { model: "m", path: "config.pbtxt" },
    lineBreak: "\n",
  });
  find(finding("wrong beside it"));
  rest();
  expect([view.state.sliceDoc(), shown()]).toEqual(["dims: 43", undefined]);
  view.dispatch({ changes: { from: 7, insert: "1" }, userEvent: "input.type" });
  rest();
  find(finding("wrong as it is typed")); // the answer came later than the rest
  rest();
  expect(shown()).toContain("wrong as it is typed");
  view.destroy();
  vi.useRealTimers();
});

test("a save takes the explanation away", async () => {
  startApp();
  const { session, unmount, view } = await openAndType("x");
  view?.dispatch({ effects: showFinding.of(finding("wrong")) });
  expect(document.querySelector("[aria-label=Problem]")).not.toBeNull();
  await session.save();
  expect(document.querySelector("[aria-label=Problem]")).toBeNull();
  unmount();
});
