import { create } from "@bufbuild/protobuf";
import { closeHoverTooltips } from "@codemirror/view";
import type { StoreApi } from "zustand/vanilla";
import { type Draft, DraftSchema, type ReadFileResponse } from "../../api/conch_pb";
import type { FileId } from "./fileId";
import type { Holder } from "./holder";
import type { Begin, Kept } from "./kept";
import { conflictWith, type SessionState } from "./sessionState";

interface Met {
  file: FileId;
  store: StoreApi<SessionState>;
  holder: Holder;
  kept: Kept;
  judge: () => void;
  noteEdited: () => void;
  /** Readings that are under way are older than what is here. */
  outdated: () => void;
}

/** How an open text meets what the disk or another window has: it follows where nothing was typed here, else it asks. */
export function createMeeting({ file, store, holder, kept, judge, noteEdited, outdated }: Met) {
  const { text, base } = holder;
  const set = store.setState;
  /** The text of another window that is asked about. */
  const asked = () => {
    const { draft } = store.getState().conflict ?? {};
    return draft?.path === file.path ? draft : undefined;
  };

  /** The text becomes what is on disk, or what another window made of that. */
  function take(from: Begin, next = from.text): void {
    outdated();
    holder.become(next, from);
    set({ conflict: undefined, saveError: undefined, deleted: undefined });
    noteEdited();
    judge();
  }

  /** Whether nothing was typed here that another window does not have. */
  const follows = () => kept.knows(text(), holder.isEdited()) || !store.getState().edited;

  /** Something else is on disk now: an untouched text follows it, an edited one asks. */
  function meetDisk(found: ReadFileResponse): void {
    const was = store.getState().exists ? text() : (store.getState().deleted ?? "");
    set({ exists: found.exists });
    if (store.getState().edited && found.text !== text()) {
      holder.change({ effects: closeHoverTooltips });
      set({ conflict: { text: found.text, version: found.version, deleted: !found.exists } });
    } else {
      take(found);
      if (!found.exists && was !== "") set({ deleted: was });
    }
  }

  function ask(other: Draft): void {
    set({ conflict: conflictWith(other) });
    judge(); // keeps what was typed here beside it
  }

  /** Another window made something else of the text. A question about it that stands is asked about the newest. */
  function meetDraft(draft: Draft): void {
    if (kept.isOwn(draft.text) || draft.text === text()) {
      // An answer of the app was lost, or it has the text with another begin, or the other window came back to it.
      kept.has(draft);
      if (asked()) set({ conflict: undefined });
      judge();
    } else if (follows()) {
      kept.has(draft);
      take({ text: draft.baseText, version: draft.baseVersion }, draft.text);
    } else ask(draft);
  }

  /** What this text goes on from was saved or discarded in another window; the file is what is left. */
  function meetGone(found: ReadFileResponse): void {
    if (follows() || found.text === text()) {
      kept.has(undefined);
      set({ exists: found.exists });
      take(found);
    } else if (!kept.waits()) {
      const { text, version } = found;
      ask(create(DraftSchema, { ...file, text, baseText: text, baseVersion: version }));
    }
  }

  /** The other text that was asked about is no more: this one is the file's. */
  function withdraw(): void {
    kept.has(undefined);
    set({ conflict: undefined });
    judge();
  }

  /**
   * What the app has of the file now, asked when the draft had the version since. An app that was started again may
   * have less than is here, and is told. gone says that the app refused an edit for its draft had ended.
   */
  function meet(found: ReadFileResponse, since: bigint, gone: boolean): void {
    const { draft } = found;
    const other = asked();
    set({ note: found.note }); // what is said of an unchanged file is new too, such as when its folder is back
    if (kept.restarted(found.run)) judge();
    else if (draft) {
      if (draft.version > kept.version()) meetDraft(draft);
    } else if (other && other.version !== 0n) withdraw();
    else if (gone || (since !== 0n && since === kept.version())) meetGone(found);
    if (!asked() && found.version !== base()?.version) meetDisk(found);
  }

  return { meet, meetDisk, meetDraft, take };
}
