import {
  EditorState,
  type Extension,
  type StateEffect,
  type Text,
  type TransactionSpec,
} from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Begin } from "./kept";
import { changeTo, type LineBreak, lineBreakOf } from "./lines";
import { showFinding } from "./popover";

export type Holder = ReturnType<typeof createHolder>;

/** A text with its undo history, what it began from, and the view that shows it while there is one. */
export function createHolder(setup: (lineBreak: LineBreak) => Extension) {
  let lineBreak: LineBreak = "\n";
  let base: (Begin & { doc: Text }) | undefined;
  let editor: EditorState | undefined;
  let view: EditorView | undefined;
  /** Where the text is shown once there is one: what is typed into a view that has none yet would be lost with it. */
  let host: HTMLElement | undefined;
  let scroll: StateEffect<unknown> | undefined;

  const state = () => view?.state ?? editor;
  const newState = (doc: string) => EditorState.create({ doc, extensions: setup(lineBreak) });

  function rebase({ text, version }: Begin): void {
    const separator = EditorState.lineSeparator.of(lineBreak);
    base = { text, version, doc: EditorState.create({ doc: text, extensions: separator }).doc };
  }

  function change(spec: TransactionSpec): void {
    if (view) view.dispatch(spec);
    else if (editor) {
      const { state, changes } = editor.update(spec);
      editor = state;
      scroll = scroll?.map(changes);
    }
  }

  /** Another text with other line ends, or the first one: it has no undo history. */
  function begin(text: string, from: Begin): void {
    lineBreak = lineBreakOf(from.text);
    rebase(from);
    editor = newState(text);
    if (view) view.setState(editor);
    else show();
  }

  function show(): void {
    if (host && editor) view = new EditorView({ parent: host, state: editor, scrollTo: scroll });
  }

  return {
    text: () => state()?.sliceDoc() ?? "",
    state,
    base: (): Begin | undefined => base,
    lineBreak: () => lineBreak,
    view: () => view,
    isEdited: () => base !== undefined && state()?.doc.eq(base.doc) === false,
    rebase,
    change,
    begin,
    /** The text and its begin at once. What stays of the text keeps its cursor and squiggles. */
    become(text: string, from: Begin): void {
      if (lineBreakOf(from.text) !== lineBreak) begin(text, from);
      else {
        rebase(from);
        this.replace(text);
      }
    },
    /** Changes only what differs; false when nothing does. */
    replace(next: string): boolean {
      const now = state();
      if (!now || now.sliceDoc() === next) return false;
      change({ changes: changeTo(now, next, lineBreak) });
      return true;
    },
    /** Shows the text in an element; returns what takes it away again. */
    mount(parent: HTMLElement): () => void {
      host = parent;
      show();
      return () => {
        host = undefined;
        if (!view) return;
        scroll = view.scrollSnapshot();
        editor = view.state.update({ effects: showFinding.of(undefined) }).state;
        view.destroy();
        view = undefined;
      };
    },
  };
}
