import type { Finding } from "./findings";

export interface FileId {
  model: string;
  path: string;
}

/** What lies on disk now, where it is not what the unsaved text began from. */
export interface Conflict {
  text: string;
  version: string;
  deleted: boolean;
}

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
  findings: readonly Finding[];
  /** Rises when the text was judged anew; views of the same text follow it. */
  judged: number;
}

export const initial: SessionState = {
  status: "reading",
  exists: true,
  readOnly: false,
  note: "",
  edited: false,
  saving: false,
  findings: [],
  judged: 0,
};
