import { create } from "zustand";
import type {
  Drafts,
  Engine,
  FileChange,
  ModelSummary,
  Notice,
  Repository,
  WorkspaceUpdate,
} from "../api/conch_pb";

/** refused: the server answers, and wants another token. */
export type Connection = "connecting" | "live" | "lost" | "refused";

/** How many notices are kept for the bell and the events line. */
const NOTICES_KEPT = 200;

export interface WorkspaceState {
  connection: Connection;
  seq: bigint;
  repository?: Repository;
  engine?: Engine;
  /** By name. A new map with every change, so that selectors can compare by identity. */
  models: ReadonlyMap<string, ModelSummary>;
  /** Newest last. */
  notices: readonly Notice[];
  /** Newest content version on disk by "model/path", for files that changed since the page opened. */
  files: ReadonlyMap<string, FileChange>;
  /** What is edited and not saved. */
  drafts?: Drafts;
}

const empty: WorkspaceState = {
  connection: "connecting",
  seq: 0n,
  models: new Map(),
  notices: [],
  files: new Map(),
};

/** The workspace as last heard. Written by the watcher alone; everything else reads. */
export const useWorkspace = create<WorkspaceState>(() => empty);

export const fileKey = (model: string, path: string) => `${model}/${path}`;

function nextModels(state: WorkspaceState, update: WorkspaceUpdate): ReadonlyMap<string, ModelSummary> {
  if (!update.reset && update.models.length === 0 && update.removedModels.length === 0) return state.models;
  const models = new Map(update.reset ? [] : state.models);
  for (const model of update.models) models.set(model.name, model);
  for (const name of update.removedModels) models.delete(name);
  return models;
}

function nextNotices(state: WorkspaceState, update: WorkspaceUpdate): readonly Notice[] {
  if (update.notices.length === 0) return state.notices;
  const known = new Set(state.notices.map((notice) => notice.id));
  const fresh = update.notices.filter((notice) => !known.has(notice.id));
  return fresh.length === 0 ? state.notices : [...state.notices, ...fresh].slice(-NOTICES_KEPT);
}

function nextFiles(state: WorkspaceState, update: WorkspaceUpdate): ReadonlyMap<string, FileChange> {
  if (update.files.length === 0) return state.files;
  const files = new Map(state.files);
  for (const file of update.files) files.set(fileKey(file.model, file.path), file);
  return files;
}

/** What the state becomes after an update; a pure function. */
export function applyUpdate(state: WorkspaceState, update: WorkspaceUpdate): WorkspaceState {
  if (update.heartbeat && !update.reset) {
    return state.connection === "live" ? state : { ...state, connection: "live" };
  }
  return {
    connection: "live",
    seq: update.seq,
    repository: update.repository ?? (update.reset ? undefined : state.repository),
    engine: update.engine ?? (update.reset ? undefined : state.engine),
    models: nextModels(state, update),
    notices: nextNotices(state, update),
    files: nextFiles(state, update),
    drafts: update.drafts ?? (update.reset ? undefined : state.drafts),
  };
}

/** Which repository is open; whatever is asked of its files says so, so that it is never done to another's. */
export const openedRepository = (): string => useWorkspace.getState().repository?.id ?? "";

/** The app answered, and no repository is open: there is no engine then. */
export const selectNothingOpen = ({ repository }: WorkspaceState): boolean =>
  repository !== undefined && repository.roots.length === 0;

/** Nothing to work on: before the first answer, or a folder that holds no models. A folder that is away keeps its page. */
export const selectBare = ({ seq, repository }: WorkspaceState): boolean =>
  seq === 0n || (repository !== undefined && repository.trouble !== "" && !repository.away);

/** The summary of one model; undefined when there is none of that name. */
export const useModelSummary = (name: string) => useWorkspace((state) => state.models.get(name));
