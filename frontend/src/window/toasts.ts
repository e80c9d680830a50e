import { create } from "zustand";
import { describeError, isFolderAway, isUnavailable } from "../api/errors";
import { keepPast, keptPast } from "./keptNotices";

/** What a notice is about: what is said of it next is the same notice, and it goes when that is over. */
export type Cause =
  | "engine"
  | "repository"
  | "folder"
  | "drafts"
  | "keeping"
  | "history"
  | "added"
  | "gpus"
  | "deleted"
  | "revived"
  | `model ${string}`;

export interface Toast {
  id: number;
  level: "info" | "warning" | "error";
  text: string;
  detail?: string;
  /** Why, in the engine's words, as detail has them; they may be put into better ones. */
  reason?: string;
  /** Whose reason it is, where the notice tells of several models. */
  reasonOf?: string;
  action?: { label: string; run: () => void };
  /** Until it is closed: it says why the window shows something else than what the user left. */
  stays?: boolean;
  /** What it is about that may pass by itself; settle takes it away then. */
  about?: Cause;
  /** The model that it tells of; its own page shows the same. */
  model?: string;
  /** Identifiers in its text beside the model, which are set as such. */
  names?: readonly string[];
}

/** A notice with when it was given, and how often. */
export interface Notice extends Toast {
  time: number;
  count: number;
}

export const SUCCESS_MS = 4_000;
/** Also of one that can be undone. */
export const ERROR_MS = 10_000;
const AT_ONCE = 3;
const REMEMBERED = 100;

interface Notices {
  /** Those whose time is not over, newest last. At most the newest three are shown. */
  toasts: readonly Notice[];
  /** The last hundred, newest first; also those whose time is not over. */
  past: readonly Notice[];
  /** The newest that the user has seen in the list. */
  seen: number;
}

const kept = keptPast();
let nextId = Math.max(kept.seen, ...kept.past.map(({ id }) => id)) + 1;
let held = false;
const timers = new Map<number, ReturnType<typeof setTimeout>>();

export const useToasts = create<Notices>(() => ({ toasts: [], ...kept }));

let keeps = false;

/** Keeps the list once for all notices of one update: with 3,000 models there can be as many of them. */
useToasts.subscribe((state, before) => {
  if (keeps || (state.past === before.past && state.seen === before.seen)) return;
  keeps = true;
  queueMicrotask(() => {
    keeps = false;
    keepPast(useToasts.getState());
  });
});

/** Those that are shown, and how many others wait for room. */
export function inSight(toasts: readonly Notice[]): { shown: readonly Notice[]; more: number } {
  const shown = toasts.slice(-AT_ONCE);
  return { shown, more: toasts.length - shown.length };
}

export function dismiss(id: number): void {
  stop(id);
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}

/** Takes away what was said of something that is over. The list of past notices keeps it. */
export function settle(about: Cause): void {
  for (const toast of useToasts.getState().toasts) if (toast.about === about) dismiss(toast.id);
}

/** Takes away what was said of a model: its page, or a newer message of the same cause, says it now. */
export function settleModel(model: string): void {
  for (const toast of useToasts.getState().toasts)
    if (toast.model === model && !toast.stays) dismiss(toast.id);
}

/** Whether one notice takes the place of another. One that can be undone stays beside its like: each undoes its own. */
const isSame = (old: Toast, now: Omit<Toast, "id">): boolean =>
  old.about !== undefined && old.about === now.about
    ? true
    : old.text === now.text && (!old.action || !!old.about);

/**
 * Whether two notices of one cause count as the same. What succeeded is counted only in the same words: a model that was
 * reloaded and then unloaded was not unloaded twice.
 */
const repeats = (old: Toast, now: Omit<Toast, "id">): boolean =>
  old.level === now.level && (now.level !== "info" || old.text === now.text);

/** Why, as it was told first: words that were put in its place later say the same. */
const why = ({ reason, detail }: Omit<Toast, "id">) => reason ?? detail;

/** Whether the list has the same already: what went wrong again, in the same words and for the same reason, is one line. */
const isAgain = (old: Toast, now: Omit<Toast, "id">): boolean =>
  now.level !== "info" &&
  old.level === now.level &&
  old.text === now.text &&
  why(old) === why(now) &&
  (!old.action || !!old.about);

/** Puts a notice into the list, in the place of those that it repeats: with their count, and better words of theirs. */
function noted(message: Omit<Toast, "id">, repeated: readonly Notice[] = []): [Notice, readonly Notice[]] {
  const { past } = useToasts.getState();
  const before = past.filter((old) => isAgain(old, message));
  const same = [...repeated, ...before.filter(({ id }) => !repeated.some((old) => old.id === id))];
  const count = same.reduce((sum, old) => sum + old.count, 1);
  const detail = before[0]?.detail ?? message.detail;
  const notice: Notice = { ...message, detail, id: nextId++, time: Date.now(), count };
  const others = past.filter(({ id }) => !same.some((old) => old.id === id));
  return [notice, [notice, ...others].slice(0, REMEMBERED)];
}

/** The identifiers in what a notice says and offers. */
export const namesIn = ({ model, names = [] }: Toast): readonly string[] =>
  model === undefined ? names : [...names, model];

/** Gives a notice. Of one cause one is shown, with the newest words and a count. */
export function toast(message: Omit<Toast, "id">): void {
  const { toasts } = useToasts.getState();
  const before = toasts.filter((old) => isSame(old, message));
  for (const { id } of before) stop(id);
  const [notice, past] = noted(
    message,
    before.filter((old) => repeats(old, message)),
  );
  const all = [...toasts.filter((old) => !before.includes(old)), notice].slice(-REMEMBERED);
  for (const old of toasts) if (!all.includes(old)) stop(old.id);
  useToasts.setState({ toasts: all, past });
  start(notice);
}

/** Lists a notice without showing it: what it says is in the pane that it concerns. */
export function list(message: Omit<Toast, "id">): void {
  useToasts.setState({ past: noted(message)[1] });
}

/** Says why in better words, where a notice has those of the engine. */
export function reword(id: number, detail: string): void {
  const change = (all: readonly Notice[]) => all.map((one) => (one.id === id ? { ...one, detail } : one));
  useToasts.setState(({ toasts, past }) => ({ toasts: change(toasts), past: change(past) }));
}

function start({ id, level, action, stays }: Notice): void {
  if (held || stays) return;
  const time = level === "info" && !action ? SUCCESS_MS : ERROR_MS;
  timers.set(
    id,
    setTimeout(() => dismiss(id), time),
  );
}

function stop(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

/** Notices wait while the pointer or the focus is on them, and then have their whole time again. */
export function hold(on: boolean): void {
  if (on === held) return;
  held = on;
  for (const notice of useToasts.getState().toasts) {
    stop(notice.id);
    start(notice);
  }
}

/** Does what a notice offers, once. */
export function takeUp({ id, action }: Notice): void {
  useToasts.setState(({ past }) => ({
    past: past.map((notice) => (notice.id === id ? { ...notice, action: undefined } : notice)),
  }));
  dismiss(id);
  action?.run();
}

/** The user has seen the list. */
export function markSeen(): void {
  useToasts.setState(({ past }) => ({ seen: past[0]?.id ?? 0 }));
}

export function forgetPast(): void {
  useToasts.setState({ past: [] });
}

/** Says what failed. The message goes when what it failed for is back: the repository's folder, or the engine. */
export function toastError(text: string, error: unknown, more: Pick<Toast, "action" | "names"> = {}): void {
  const waitsForEngine = isUnavailable(error) ? "engine" : undefined;
  const about = isFolderAway(error) ? "folder" : waitsForEngine;
  toast({ level: "error", text, detail: describeError(error).message, about, ...more });
}
