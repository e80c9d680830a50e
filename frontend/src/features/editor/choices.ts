import type { StoreApi } from "zustand/vanilla";
import { clients } from "../../api/client";
import type { Draft } from "../../api/conch_pb";
import type { createAside } from "./aside";
import type { Begin, Kept } from "./kept";
import type { SessionState } from "./sessionState";

interface Chosen {
  store: StoreApi<SessionState>;
  text: () => string;
  kept: Kept;
  aside: ReturnType<typeof createAside>;
  take: (from: Begin, next?: string) => void;
  judge: () => void;
}

const beginOf = (draft: Draft): Begin => ({ text: draft.baseText, version: draft.baseVersion });

/** What a person may choose where there is another text of the file: on disk, in another window, of an earlier run. */
export function createChoices({ store, text, kept, aside, take, judge }: Chosen) {
  return {
    /** Throws the edit away for what is on disk, or in another window. It can be undone. */
    reload(): void {
      const { conflict } = store.getState();
      const draft = conflict?.draft;
      if (draft) {
        // A text that lay beside is this window's from now on; the other window's is with the app already.
        if (aside.is(draft)) aside.settle(draft);
        else kept.has(draft.version === 0n ? undefined : draft);
        take(beginOf(draft), draft.text);
      } else if (conflict) take(conflict);
    },
    /** Keeps this text in place of what another window made of it. */
    keepMine(): void {
      const { draft } = store.getState().conflict ?? {};
      if (!draft) return;
      if (aside.is(draft)) aside.settle(draft);
      else kept.at(draft.version);
      if (draft.version === 0n) {
        take(beginOf(draft), text()); // it goes on from the file
        return;
      }
      store.setState({ conflict: undefined });
      judge();
    },
    /** Shows the text of an earlier run in place of this one, which can be undone. */
    takeRival(): void {
      const { rival } = store.getState();
      if (!rival) return;
      store.setState({ rival: undefined });
      take(beginOf(rival), rival.text);
    },
    /** Throws the text of an earlier run away. */
    async dropRival(): Promise<void> {
      const { rival } = store.getState();
      if (!rival) return;
      await clients.editor.discardDrafts({ repository: kept.repository(), versions: [rival.version] });
      if (store.getState().rival === rival) store.setState({ rival: undefined });
    },
  };
}
