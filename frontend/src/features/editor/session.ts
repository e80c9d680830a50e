import { closeCompletion } from "@codemirror/autocomplete";
import { createStore } from "zustand/vanilla";
import { clients } from "../../api/client";
import { createAside } from "./aside";
import { createCheck } from "./check";
import { createChoices } from "./choices";
import { createDisk } from "./disk";
import { createDocument } from "./document";
import type { FileId } from "./fileId";
import { type Begin, createKept } from "./kept";
import { showFinding } from "./popover";
import { initial, type SessionState } from "./sessionState";
import { createShown } from "./shown";

export type Session = ReturnType<typeof createSession>;

/**
 * One open file, made of four parts: the document (its text with undo history), the disk (what the file holds),
 * the check (what is wrong with the text) and the view that shows it. It lives longer than the view, so that
 * leaving a model and coming back keeps the undo history. The app keeps the text itself.
 */
export function createSession({ model, path }: FileId, repository = "") {
  /** Its model may be given another name. */
  const file = { model, path };
  const store = createStore<SessionState>(() => initial);
  const kept = createKept(repository);
  const aside = createAside(file, kept);
  const document = createDocument({
    file,
    store,
    save: () => save(),
    format: () => format(),
    changed: () => check.judge(),
  });
  const { holder } = document;
  const { text, base } = holder;
  const check = createCheck({
    file,
    store,
    holder,
    kept,
    aside,
    meetDraft: (draft) => disk.meetDraft(draft),
    ended: () => disk.readEnded(),
    read: () => disk.read(),
  });
  const { judge } = check;
  const disk = createDisk({ file, store, document, kept, aside, judge, number: check.number });

  async function format(): Promise<void> {
    const before = text();
    const answer = await clients.editor.format({ text: before });
    if (text() === before) document.replace(answer.text);
  }

  /** What is typed is meant: the list of what else could be typed goes, and what is said of the text at the cursor. */
  function save(overwrite = false): Promise<void> {
    const view = holder.view();
    if (view) closeCompletion(view);
    view?.dispatch({ effects: showFinding.of(undefined) });
    return disk.save(overwrite);
  }

  disk.read();

  return {
    ...createShown(file, holder),
    ...createChoices({ store, text, kept, aside, take: disk.take, judge }),
    flush: check.flush,
    /** Whether something was typed that the app is not known to have. */
    isHereAlone: () => base() !== undefined && !check.knows(),
    file,
    store,
    text,
    save,
    putBack: disk.putBack,
    format,
    onDraft: check.onDraft,
    onDisk: disk.onDisk,
    onFolderBack: disk.onFolderBack,
    /** Looks at the disk again: what happened while nobody listened is not reported afterwards. */
    refresh: () => {
      if (!base() || store.getState().saving) return;
      if (!check.knows()) judge(); // what was typed while the app did not answer
      disk.read();
    },
    /** Something changed that the check of the text rests on: another model, the model's own file. */
    judge: () => {
      if (base()) judge();
    },
    retry: disk.read,
    /** What was written to disk for this file, with a change that goes through several, and what is unsaved over it. */
    adopt: (written: Begin, unsaved?: string) => {
      kept.has(undefined);
      if (base()) disk.take(written, unsaved);
    },
    close: (what: "uses" | "dialog") => store.setState({ [what]: undefined }),
    ask: (kind: "outline" | "template") => store.setState({ dialog: { kind } }),
    replace: document.replace,
    /** Fills an empty text with what the model file says, unless something was typed meanwhile; the user saves it. */
    draft: async () => {
      const before = text();
      const answer = await clients.editor.draftConfig({ model: file.model });
      if (text() === before) document.replace(answer.text);
    },
    /** Its model has another name now. */
    rename: (name: string) => {
      file.model = name;
    },
    /** It has another path now. */
    move: (to: string) => {
      file.path = to;
    },
  };
}
