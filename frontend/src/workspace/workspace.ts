import { create } from "zustand";
import {
  type Drafts,
  type Engine,
  Engine_State,
  type FileChange,
  type ModelSummary,
  type Notice,
  Notice_Level,
  type Repository,
  type WorkspaceUpdate,
} from "../api/conch_pb";
import { fileKey } from "../lib/fileKey";
import { sentence } from "../lib/sentence";

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
  /** Names of models that this page has shown and that are no longer in the repository. */
  gone: ReadonlySet<string>;
  /** Newest last. */
  notices: readonly Notice[];
  /** Newest content version on disk by "model/path", for files that changed since the page opened. */
  files: ReadonlyMap<string, FileChange>;
  /** What is edited and not saved. */
  drafts?: Drafts;
  /** What is wrong with how unsaved texts are kept; undefined while they are kept as usual. */
  keeping?: Notice;
  /** Why history is not being written; undefined while it is. */
  unwritten?: Notice;
}

const empty: WorkspaceState = {
  connection: "connecting",
  seq: 0n,
  models: new Map(),
  gone: new Set(),
  notices: [],
  files: new Map(),
};

/** The workspace as last heard. Written by the watcher alone; everything else reads. */
export const useWorkspace = create<WorkspaceState>(() => empty);

function nextModels(state: WorkspaceState, update: WorkspaceUpdate): ReadonlyMap<string, ModelSummary> {
  if (!update.reset && update.models.length === 0 && update.removedModels.length === 0) return state.models;
  const models = new Map(update.reset ? [] : state.models);
  for (const model of update.models) models.set(model.name, model);
  for (const name of update.removedModels) models.delete(name);
  return models;
}

/** A reset may bring the same repository again, with fewer models than before. */
function nextGone(state: WorkspaceState, update: WorkspaceUpdate, models: ReadonlyMap<string, ModelSummary>) {
  if (update.reset && update.repository?.id !== state.repository?.id) return empty.gone;
  if (models === state.models) return state.gone;
  const names = [...state.gone, ...state.models.keys()].filter((name) => !models.has(name));
  return new Set(names);
}

function nextNotices(state: WorkspaceState, update: WorkspaceUpdate): readonly Notice[] {
  if (update.notices.length === 0) return state.notices;
  const known = new Set(state.notices.map((notice) => notice.id));
  const fresh = update.notices.filter((notice) => !known.has(notice.id));
  return fresh.length === 0 ? state.notices : [...state.notices, ...fresh].slice(-NOTICES_KEPT);
}

/** The newest notice of a cause tells how that is now. A reset brings it again while it is bad. */
function nextTrouble(
  about: "keeping" | "history",
  old: Notice | undefined,
  { reset, notices }: WorkspaceUpdate,
): Notice | undefined {
  const told = notices.filter(({ cause }) => cause === about);
  const [newest] = told.sort((a, b) => Number(b.id - a.id));
  if (newest) return newest.level === Notice_Level.INFO ? undefined : newest;
  return reset ? undefined : old;
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
  const models = nextModels(state, update);
  return {
    connection: "live",
    seq: update.seq,
    repository: update.repository ?? (update.reset ? undefined : state.repository),
    engine: update.engine ?? (update.reset ? undefined : state.engine),
    models,
    gone: nextGone(state, update, models),
    notices: nextNotices(state, update),
    files: nextFiles(state, update),
    keeping: nextTrouble("keeping", state.keeping, update),
    unwritten: nextTrouble("history", state.unwritten, update),
    drafts: update.drafts ?? (update.reset ? undefined : state.drafts),
  };
}

/**
 * One update in the place of two that follow each other, as the app makes one of several changes. What was told before a
 * change is told before it, and a reset forgets what was known: these are not merged.
 */
export function mergeUpdates(first: WorkspaceUpdate, next: WorkspaceUpdate): WorkspaceUpdate | undefined {
  if (next.reset || first.notices.length > 0) return undefined;
  if (first.heartbeat) return next;
  if (next.heartbeat) return first;
  const models = new Set([...next.models.map(({ name }) => name), ...next.removedModels]);
  const files = new Set(next.files.map(({ model, path }) => fileKey(model, path)));
  return {
    ...first,
    seq: next.seq,
    repository: next.repository ?? first.repository,
    engine: next.engine ?? first.engine,
    models: [...first.models.filter(({ name }) => !models.has(name)), ...next.models],
    removedModels: [...first.removedModels.filter((name) => !models.has(name)), ...next.removedModels],
    notices: next.notices,
    files: [...first.files.filter(({ model, path }) => !files.has(fileKey(model, path))), ...next.files],
    drafts: next.drafts ?? first.drafts,
    problems: first.problems || next.problems,
  };
}

/** A message of the program with a capital; names of models, of the server that is shown, and others that are told keep their spelling. */
export function asSentence(text: string, names: readonly string[] = []): string {
  const { models, engine } = useWorkspace.getState();
  return sentence(text, {
    has: (name) => models.has(name) || name === engine?.remote?.name || names.includes(name),
  });
}

/** Which repository is open; whatever is asked of its files says so, so that it is never done to another's. */
export const openedRepository = (): string => useWorkspace.getState().repository?.id ?? "";

/** What is shown: a repository, and the server that serves it. What was told of another one is not of this, whatever its models are called. */
export const selectShown = ({ repository, engine }: WorkspaceState): string =>
  `${repository?.id ?? ""}\n${engine?.remote?.name ?? ""}`;

/** Why nothing reaches the program, in a sentence. */
const outage: Partial<Record<Connection, string>> = {
  lost: "The workbench does not answer",
  refused: "The token of this page is not valid",
};

/** Why no request reaches the engine, in a sentence. */
const engineOutage: Partial<Record<Engine_State, string>> = {
  [Engine_State.STARTING]: "The engine is starting",
  [Engine_State.RESTARTING]: "The engine is being restarted",
  [Engine_State.SILENT]: "The engine does not answer",
  [Engine_State.STOPPED]: "The engine has stopped",
};

/** What does not answer, the program or its engine, and why; empty while both do. */
export const selectReach = ({ connection, engine }: WorkspaceState): { app?: string; engine?: string } => ({
  app: outage[connection],
  engine: engine && (engine.remote ? remoteOutage(engine) : engineOutage[engine.state]),
});

const remoteOutage = ({ state, remote }: Engine): string | undefined =>
  state === Engine_State.READY ? undefined : `${remote?.name} does not answer`;

/** Why nothing that needs the program, or its engine, can be done now; undefined while it can. */
export function whyOff(needs: "app" | "engine"): string | undefined {
  const { app, engine } = selectReach(useWorkspace.getState());
  return app ?? (needs === "engine" ? engine : undefined);
}

/** The app answered, and neither a repository nor a server is open: there is no engine then. */
export const selectNothingOpen = ({ repository, engine }: WorkspaceState): boolean =>
  repository !== undefined && repository.roots.length === 0 && !engine?.remote;

/** Nothing to work on: before the first answer, or a folder that holds no models. A folder that is away keeps its page. */
export const selectBare = ({ seq, repository }: WorkspaceState): boolean =>
  seq === 0n || (repository !== undefined && repository.trouble !== "" && !repository.away);

/** The summary of one model; undefined when there is none of that name. */
export const useModelSummary = (name: string) => useWorkspace((state) => state.models.get(name));
