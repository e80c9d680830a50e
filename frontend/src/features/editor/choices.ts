import type { StoreApi } from "zustand/vanilla";
import { clients } from "../../api/client";
import type { createAside } from "./aside";
import type { Begin, Kept } from "./kept";
import type { SessionState } from "./sessionState";

/** What a person may choose where there is another text of the file: on disk, in another window, of an earlier run. */
export function createChoices(
  store: StoreApi<SessionState>,
  kept: Kept,
  aside: ReturnType<typeof createAside>,
  take: (from: Begin, next?: string) => void,
  judge: () => void,
) {
  return {
    /** Throws the edit away for what is on disk, or in another window. It can be undone. */
    reload(): void {
      const { conflict } = store.getState();
      const draft = conflict?.draft;
      if (draft) {
        if (aside.is(draft)) aside.settle(draft);
        // It goes on from the text that is here too.
        kept.has({
          text: draft.text,
          version: draft.version > kept.version() ? draft.version : kept.version(),
        });
        take({ text: draft.baseText, version: draft.baseVersion }, draft.text);
      } else if (conflict) take(conflict);
    },
    /** Keeps this text in place of what another window made of it. */
    keepMine(): void {
      const { conflict } = store.getState();
      if (!conflict?.draft) return;
      if (aside.is(conflict.draft)) aside.settle(conflict.draft);
      else kept.at(conflict.draft.version);
      store.setState({ conflict: undefined });
      judge();
    },
    /** Shows the text of an earlier run in place of this one, which can be undone. */
    takeRival(): void {
      const { rival } = store.getState();
      if (!rival) return;
      store.setState({ rival: undefined });
      take({ text: rival.baseText, version: rival.baseVersion }, rival.text);
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
