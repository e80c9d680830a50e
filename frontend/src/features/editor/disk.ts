import type { StoreApi } from "zustand/vanilla";
import { clients } from "../../api/client";
import type { ReadFileResponse } from "../../api/conch_pb";
import { isFolderAway } from "../../api/errors";
import { toast } from "../../window/toasts";
import { fileOf } from "../../workspace/drafts";
import { whyOff } from "../../workspace/workspace";
import type { Aside } from "./aside";
import type { Document } from "./document";
import type { FileId } from "./fileId";
import type { Kept } from "./kept";
import { createMeeting } from "./meeting";
import { saveText } from "./save";
import { conflictWith, type SessionState } from "./sessionState";

interface Options {
  file: FileId;
  store: StoreApi<SessionState>;
  document: Document;
  kept: Kept;
  aside: Aside;
  judge: () => void;
  /** The number of the newest text that the app was asked about. */
  number: () => bigint;
}

/** The file on disk: reads it, follows it when it changes, and saves the text into it. */
export function createDisk({ file, store, document, kept, aside, judge, number }: Options) {
  const { holder, noteEdited } = document;
  const { text, base } = holder;
  const set = store.setState;
  /** Of the readings of the file the newest counts, and none that began before the text got another base. */
  let reading = 0;
  /** An edit was refused because the draft that it goes on from has ended. */
  let gone = false;

  const meeting = createMeeting({
    file,
    store,
    holder,
    kept,
    judge,
    noteEdited,
    outdated: () => reading++,
  });

  /** The first reading: an unsaved text from before comes back, with a question if the disk moved on. */
  function open(found: ReadFileResponse): void {
    const { draft } = found;
    kept.restarted(found.run);
    kept.has(draft);
    set({
      status: "ready",
      error: undefined,
      exists: found.exists,
      readOnly: found.readOnly,
      note: found.note,
    });
    const begun = draft ? { text: draft.baseText, version: draft.baseVersion } : found;
    holder.begin(draft?.text ?? found.text, begun);
    noteEdited();
    if (draft && draft.baseVersion !== found.version) meeting.meetDisk(found);
    judge();
    void meetLeft();
  }

  /** A window went away before its question was answered. */
  async function meetLeft(): Promise<void> {
    const left = await aside.left();
    if (left && !store.getState().conflict) set({ conflict: conflictWith(left) });
  }

  async function read(): Promise<void> {
    const mine = ++reading;
    const since = kept.version();
    try {
      const found = await clients.editor.readFile({ ...file, repository: kept.repository() });
      if (mine !== reading) return;
      kept.found(found.repository);
      if (base()) meeting.meet(found, since, gone);
      else open(found);
      gone = false;
      set({ rival: found.rival });
    } catch (error) {
      if (!base() && mine === reading) set({ status: "failed", error });
    }
  }

  /** Whether there is something to save, and nothing in the way. */
  function maySave(overwrite: boolean): boolean {
    const { saving, readOnly, status, edited, exists } = store.getState();
    if (saving || readOnly || status !== "ready" || !(edited || overwrite || !exists)) return false;
    const off = whyOff("app");
    if (off) {
      toast({
        level: "warning",
        text: `${fileOf(file)} was not saved`,
        names: [fileOf(file)],
        detail: `${off}. The text is kept in this page.`,
      });
    }
    return !off;
  }

  /** The banner was there before, so that nothing else shows that this save wrote nothing. */
  const tellAsked = () =>
    toast({
      level: "warning",
      text: `${fileOf(file)} was not saved`,
      names: [fileOf(file)],
      detail: "Choose first, above the text, which one stays.",
    });

  /** A save was asked for while one was under way; what was typed since is saved after it. */
  let again = false;

  async function save(overwrite = false): Promise<void> {
    const from = base();
    again = store.getState().saving;
    if (!from || !maySave(overwrite)) return;
    const saved = text();
    set({ saving: true, saveError: undefined });
    try {
      // Over no other text than the one that was shown.
      const { conflict } = store.getState();
      const baseVersion = overwrite && conflict && !conflict.draft ? conflict.version : from.version;
      const asked = { text: saved, baseVersion, number: number() };
      const answer = await saveText({ ...file, ...asked }, kept);
      if (answer.newer) {
        meeting.meetDraft(answer.newer);
        return;
      }
      if (answer.conflict) {
        const { diskText, diskVersion } = answer;
        if (conflict) tellAsked();
        set({ conflict: { text: diskText, version: diskVersion, deleted: diskVersion === "" } });
        return;
      }
      reading++; // those that are under way are older
      holder.rebase({ text: saved, version: answer.version });
      kept.at(answer.draftVersion);
      set({ conflict: undefined, exists: true, deleted: undefined });
      noteEdited();
      judge();
    } catch (error) {
      set({ saveError: error });
    } finally {
      set({ saving: false });
    }
    const { conflict, saveError } = store.getState();
    if (again && !conflict && !saveError) await save();
  }

  return {
    ...meeting,
    read: () => void read(),
    /** The draft that the text goes on from has ended elsewhere. */
    readEnded: () => {
      gone = true;
      void read();
    },
    save,
    /** Writes the text that the file had when it was deleted on disk. */
    putBack: async () => {
      const { deleted } = store.getState();
      if (deleted === undefined) return;
      document.replace(deleted);
      await save();
    },
    /** The folder of the repository is there: what failed because it was away is over, and so is what was said of the file. */
    onFolderBack: () => {
      const { error, saveError, note, saving } = store.getState();
      if (isFolderAway(saveError)) set({ saveError: undefined });
      if (isFolderAway(error) || (note && !saving)) void read();
    },
    /** A file of this name changed on disk. */
    onDisk: (version: string) => {
      if (base() && !store.getState().saving && version !== base()?.version) void read();
    },
  };
}
