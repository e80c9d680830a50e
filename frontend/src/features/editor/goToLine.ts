/** "Go to line" of the editor: a bar like that of the search, in place of the library's own. */
import { EditorSelection, StateEffect, StateField } from "@codemirror/state";
import { EditorView, type Panel, showPanel } from "@codemirror/view";
import { createElement } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { LinePanel } from "./LinePanel";

const setOpen = StateEffect.define<boolean>();

/** The bar that asks for a line, while it is open. */
export const lineBar = StateField.define<boolean>({
  create: () => false,
  update: (open, { effects }) => effects.reduce((is, one) => (one.is(setOpen) ? one.value : is), open),
  provide: (field) => showPanel.from(field, (open) => (open ? createPanel : null)),
});

function createPanel(view: EditorView): Panel {
  const dom = document.createElement("div");
  const root = createRoot(dom);
  const draw = () =>
    root.render(
      createElement(LinePanel, {
        lines: view.state.doc.lines,
        line: view.state.doc.lineAt(view.state.selection.main.head).number,
        onGo: (line: number, column: number) => goTo(view, line, column),
        onClose: () => closeLine(view),
      }),
    );
  draw();
  return {
    dom,
    top: true,
    update: ({ docChanged }) => docChanged && draw(),
    // A view may go away while React draws the page that held it.
    destroy: () => queueMicrotask(() => root.unmount()),
  };
}

/** Opens the bar, and puts the cursor into its field before the next key comes. */
export function openLine(view: EditorView): boolean {
  flushSync(() => view.dispatch({ effects: setOpen.of(true) }));
  const field = view.dom.querySelector<HTMLInputElement>("[line-field]");
  field?.focus();
  field?.select();
  return true;
}

export function closeLine(view: EditorView): boolean {
  if (!view.state.field(lineBar, false)) return false;
  view.dispatch({ effects: setOpen.of(false) });
  view.focus();
  return true;
}

/** Puts the cursor at a column of a line, both from 1, and that line into the middle. */
function goTo(view: EditorView, number: number, column: number): void {
  const line = view.state.doc.line(number);
  const selection = EditorSelection.cursor(line.from + Math.min(column - 1, line.length));
  view.dispatch({
    effects: [setOpen.of(false), EditorView.scrollIntoView(selection.head, { y: "center" })],
    selection,
  });
  view.focus();
}
