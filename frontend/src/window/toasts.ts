import { create } from "zustand";
import { describeError, isFolderAway, isUnavailable } from "../api/errors";

/** What a message is about: the newest one about it takes the place of the others, and it goes when that is over. */
export type Cause =
  | "engine"
  | "repository"
  | "folder"
  | "drafts"
  | "keeping"
  | "history"
  | "added"
  | `model ${string}`;

export interface Toast {
  id: number;
  level: "info" | "warning" | "error";
  text: string;
  detail?: string;
  action?: { label: string; run: () => void };
  /** Until it is closed, as errors do. */
  stays?: boolean;
  /** What it is about that may pass by itself; settle takes it away then. */
  about?: Cause;
}

/** How long a toast stays; errors stay until they are closed. */
const SHOWN_MS = 5_000;
/** One that can still be undone waits longer. */
const ACTION_MS = 10_000;
const AT_ONCE = 4;

let nextId = 1;

/** Short messages at the corner, newest last. */
export const useToasts = create<{ toasts: readonly Toast[] }>(() => ({ toasts: [] }));

export function dismiss(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}

/** Takes away what was said of something that is over. */
export function settle(about: Cause): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.about !== about) }));
}

export function toast(message: Omit<Toast, "id">): void {
  const id = nextId++;
  useToasts.setState(({ toasts }) => ({
    toasts: [
      ...toasts.filter(
        (old) => old.text !== message.text && (old.about === undefined || old.about !== message.about),
      ),
      { ...message, id },
    ].slice(-AT_ONCE),
  }));
  if (message.level !== "error" && !message.stays)
    setTimeout(() => dismiss(id), message.action ? ACTION_MS : SHOWN_MS);
}

/** Says what failed. The message goes when what it failed for is back: the repository's folder, or the engine. */
export function toastError(text: string, error: unknown): void {
  const waitsForEngine = isUnavailable(error) ? "engine" : undefined;
  const about = isFolderAway(error) ? "folder" : waitsForEngine;
  toast({ level: "error", text, detail: describeError(error).message, about });
}
