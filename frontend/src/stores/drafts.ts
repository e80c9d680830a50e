import { create } from "zustand";

/** A text that is not saved: what it says, and what on disk it began from. */
export interface Draft {
  model: string;
  path: string;
  text: string;
  baseText: string;
  baseVersion: string;
}

interface DraftsState {
  /** By "model/path". */
  drafts: ReadonlyMap<string, Draft>;
  /** The models with an unsaved text, for marks in lists. */
  edited: ReadonlySet<string>;
}

const KEY = "conch-drafts";

function readKept(): Map<string, Draft> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as [string, Draft][]);
  } catch {
    return new Map();
  }
}

const editedIn = (drafts: ReadonlyMap<string, Draft>) =>
  new Set([...drafts.values()].map((draft) => draft.model));

const kept = readKept();

/** Unsaved texts. They outlive the engine, a change of model and a reload of the page. */
export const useDrafts = create<DraftsState>(() => ({ drafts: kept, edited: editedIn(kept) }));

const draftKey = (model: string, path: string) => `${model}/${path}`;

let timer: ReturnType<typeof setTimeout> | undefined;

function keep(): void {
  clearTimeout(timer);
  timer = undefined;
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...useDrafts.getState().drafts]));
  } catch {
    // Over the quota: the drafts still live in memory, only a reload of the page would lose them.
  }
}

function change(drafts: Map<string, Draft>): void {
  const edited = editedIn(drafts);
  const before = useDrafts.getState().edited;
  const same = edited.size === before.size && [...edited].every((name) => before.has(name));
  useDrafts.setState({ drafts, edited: same ? before : edited });
  timer ??= setTimeout(keep, 300);
}

export const draftOf = (model: string, path: string): Draft | undefined =>
  useDrafts.getState().drafts.get(draftKey(model, path));

export function setDraft(draft: Draft): void {
  change(new Map(useDrafts.getState().drafts).set(draftKey(draft.model, draft.path), draft));
}

export function dropDraft(model: string, path: string): void {
  const drafts = new Map(useDrafts.getState().drafts);
  if (drafts.delete(draftKey(model, path))) change(drafts);
}

/** A model is called otherwise now. */
export function moveDrafts(from: string, to: string): void {
  const moved = [...useDrafts.getState().drafts.values()].map((draft) =>
    draft.model === from ? { ...draft, model: to } : draft,
  );
  change(new Map(moved.map((draft) => [draftKey(draft.model, draft.path), draft])));
}

// The pause before keeping is cut short when the page goes away.
window.addEventListener("pagehide", keep);
