import { EditorView } from "@codemirror/view";
import type { StoreApi } from "zustand/vanilla";
import type { FileId } from "./fileId";
import { createHands } from "./hands";
import { createHolder } from "./holder";
import type { SessionState } from "./sessionState";
import { setup } from "./setup";

export type Document = ReturnType<typeof createDocument>;

interface Options {
  file: FileId;
  store: StoreApi<SessionState>;
  save: () => Promise<void>;
  format: () => Promise<void>;
  /** The text is not what it was. */
  changed: () => void;
}

/** The text of a session: its undo history and the view that shows it, what the keys do, and whether it was edited. */
export function createDocument({ file, store, save, format, changed }: Options) {
  const holder = createHolder((lineBreak) => {
    const { readOnly } = store.getState();
    return setup({ file, lineBreak, readOnly, hands, listener });
  });

  function noteEdited(): void {
    const edited = holder.isEdited();
    if (holder.base() && edited !== store.getState().edited) store.setState({ edited });
  }

  function noteChanged(): void {
    noteEdited();
    changed();
  }

  const listener = EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    if (store.getState().uses) store.setState({ uses: undefined });
    noteChanged();
  });

  const hands = createHands({
    file,
    lineBreak: holder.lineBreak,
    shows: (view) => holder.view() === view,
    get: store.getState,
    set: store.setState,
    save,
    format,
  });

  return {
    holder,
    noteEdited,
    /** Replaces the text as an edit that can be undone. */
    replace(next: string): void {
      if (holder.replace(next) && !holder.view()) noteChanged(); // a view notes it itself
    },
  };
}
