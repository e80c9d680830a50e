import { clients } from "../api/client";
import type { Draft, DraftInfo, UndoDeleteResponse } from "../api/conch_pb";
import { count } from "../lib/format";
import { toast, toastError } from "../window/toasts";
import { openedRepository, useWorkspace, type WorkspaceState } from "./workspace";

// The app holds the unsaved texts; here is only what it tells of them.

const none: readonly DraftInfo[] = [];

export const draftsIn = ({ drafts }: Pick<WorkspaceState, "drafts">): readonly DraftInfo[] =>
  drafts?.list ?? none;

/** The unsaved text of a file; undefined when there is none. */
export const draftOf = (model: string, path: string): DraftInfo | undefined =>
  draftsIn(useWorkspace.getState()).find((draft) => draft.model === model && draft.path === path);

/** What an earlier run of the program left unsaved, and nobody has edited since. */
export const restoredIn = (state: Pick<WorkspaceState, "drafts">): readonly DraftInfo[] =>
  draftsIn(state).filter(({ restored }) => restored);

/** Whether a model has a file that is not saved, or that file is not. */
export const hasDraft = (state: Pick<WorkspaceState, "drafts">, model: string, path?: string): boolean =>
  draftsIn(state).some((draft) => draft.model === model && (path === undefined || draft.path === path));

/** The unsaved file beside another one in which a window's text is kept while it is asked about. */
export const asideName = (path: string, writer: string) => `${path} (another window ${writer.slice(-4)})`;

const ASIDE = / \(another window \d+\)$/;

/** The file that one lies beside. */
export const withoutAside = (path: string) => path.replace(ASIDE, "");

export const isAsideOf = (path: string, file: string) => ASIDE.test(path) && withoutAside(path) === file;

export const fileOf = ({ model, path }: { model: string; path: string }) => `${model}/${path}`;

const files = (list: readonly unknown[]) => count(list.length, "file");

/** Throws unsaved texts away. It can be taken back for as long as it is told. */
export async function discard(list: readonly DraftInfo[]): Promise<void> {
  const repository = openedRepository();
  try {
    const { drafts } = await clients.editor.discardDrafts({
      repository,
      versions: list.map(({ version }) => version),
    });
    if (drafts.length === 0) return;
    toast({
      level: "info",
      text: `Unsaved changes in ${files(drafts)} were discarded`,
      about: "drafts",
      names: drafts.map(fileOf),
      action: { label: "Undo", run: () => void restore(repository, drafts) },
    });
  } catch (error) {
    toastError("The unsaved texts were not changed", error);
  }
}

/** Brings discarded texts back. Those for which there is no room can be tried again. */
async function restore(repository: string, drafts: readonly Draft[]): Promise<void> {
  const again = (list: readonly Draft[]) => ({
    label: "Try again",
    run: () => void restore(repository, list),
  });
  try {
    const { edited, unkept, why } = await clients.editor.restoreDrafts({ repository, drafts: [...drafts] });
    if (edited.length > 0)
      toast({
        level: "warning",
        about: "drafts",
        text: "Edited since, and left as it is",
        detail: edited.map(fileOf).join(", "),
      });
    if (unkept.length > 0) {
      const names = new Set(unkept.map(fileOf));
      const left = drafts.filter((draft) => names.has(fileOf(draft)));
      tellUnkept(`Unsaved changes in ${files(left)} were not brought back`, { unkept, why }, again(left));
    }
  } catch (error) {
    toastError(`Unsaved changes in ${files(drafts)} were not brought back`, error, {
      action: again(drafts),
      names: drafts.map(fileOf),
    });
  }
}

/** Says which unsaved texts are not kept, and why. */
export const tellUnkept = (
  text: string,
  { unkept, why }: Pick<UndoDeleteResponse, "unkept" | "why">,
  action: { label: string; run: () => void },
) => toast({ level: "error", text, detail: `${unkept.map(fileOf).join(", ")}: ${why}`, action });
