import { clients } from "../../api/client";
import type { Draft } from "../../api/conch_pb";
import { asideName, draftsIn, isAsideOf } from "../../workspace/drafts";
import { useWorkspace } from "../../workspace/workspace";
import type { FileId } from "./fileId";
import type { Begin, Kept } from "./kept";

export type Aside = ReturnType<typeof createAside>;

/**
 * What is typed while another window's text stands is kept too, as an unsaved file beside the one that is asked about.
 * It goes when the question is answered, and not before the answer is kept.
 */
export function createAside(file: FileId, kept: Kept) {
  /** The unsaved files beside that are here, or that were asked about here. */
  let versions: bigint[] = [];
  let own = 0n;
  /** What is kept beside. The same text is not sent again: it may have been discarded. */
  let last: string | undefined;
  /** Names what lies beside, for as long as the file is open. */
  const writer = kept.writer();
  return {
    /** Keeps a text; gives why it is not kept, or "", or undefined when the app does not answer. */
    async keep(text: string, number: bigint, base: Begin): Promise<string | undefined> {
      if (text === last) return undefined;
      const path = asideName(file.path, writer);
      const edit = {
        repository: kept.repository(),
        since: own,
        baseText: base.text,
        baseVersion: base.version,
        writer,
      };
      const asked = { model: file.model, path, text, number, edit };
      const answer = await clients.editor.analyze(asked).catch(() => undefined);
      if (!answer) return undefined;
      own = answer.version;
      last = answer.notKept || answer.gone ? undefined : text;
      return answer.notKept;
    },
    /** What a window that is gone has left beside the file. */
    async left(): Promise<Draft | undefined> {
      const { model } = file;
      const list = draftsIn(useWorkspace.getState());
      const found = list.find((draft) => draft.model === model && isAsideOf(draft.path, file.path));
      if (!found) return undefined;
      const asked = { model, path: found.path, repository: kept.repository() };
      const answer = await clients.editor.readFile(asked).catch(() => undefined);
      return answer?.draft;
    },
    /** Whether a draft lies beside the file, and is not its own. */
    is: (draft: Draft | undefined) => draft !== undefined && draft.path !== file.path,
    /** A question about it was answered. */
    settle(draft: Draft): void {
      versions.push(draft.version);
    },
    /** The answer is kept: what lay beside goes. */
    drop(): void {
      if (own !== 0n) versions.push(own);
      if (versions.length === 0) return;
      const gone = versions;
      versions = [];
      own = 0n;
      last = undefined;
      clients.editor
        .discardDrafts({ repository: kept.repository(), versions: gone })
        .catch(() => versions.push(...gone));
    },
  };
}
