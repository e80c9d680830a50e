import type { Draft, FileProblems, OutlineItem, Placeholder } from "../../api/conch_pb";
import type { Finding } from "./findings";
import type { AskedName } from "./names";

/** What lies on disk now, where it is not what the unsaved text began from. */
export interface Conflict {
  text: string;
  version: string;
  deleted: boolean;
  /** What another window made of the text meanwhile; of version 0 where that is to save or discard it. */
  draft?: Draft;
}

export const conflictWith = (draft: Draft): Conflict => ({
  text: draft.text,
  version: draft.baseVersion,
  deleted: false,
  draft,
});

export interface SessionState {
  status: "reading" | "ready" | "failed";
  error?: unknown;
  exists: boolean;
  readOnly: boolean;
  note: string;
  edited: boolean;
  saving: boolean;
  saveError?: unknown;
  conflict?: Conflict;
  /** The text that the file had when it was deleted on disk, which nobody had edited. */
  deleted?: string;
  /** Another unsaved text of the file, which an earlier run left. */
  rival?: Draft;
  /** Why the text is lost when Conch ends, unless it is saved. */
  notKept: string;
  findings: readonly Finding[];
  /** What the text as it stands does to the models that use this one. */
  dependants: readonly FileProblems[];
  outline: readonly OutlineItem[];
  /** The placeholders to fill in, when the text is a template. */
  placeholders: readonly Placeholder[];
  /** A name whose places are listed. */
  uses?: AskedName;
  /** What is asked for in a dialog: a new name, a part of the text to go to. */
  dialog?: { kind: "rename"; name: AskedName } | { kind: "outline" } | { kind: "template" };
  /** Rises when the text was checked again; views of the same text follow it. */
  judged: number;
}

export const initial: SessionState = {
  status: "reading",
  exists: true,
  readOnly: false,
  note: "",
  edited: false,
  saving: false,
  notKept: "",
  findings: [],
  dependants: [],
  outline: [],
  placeholders: [],
  judged: 0,
};
