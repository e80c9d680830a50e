import { create } from "zustand";
import type { TextSpot } from "./textSpot";

export type ModelTab = "try" | "config" | "metrics" | "log" | "files" | "debug" | "graph";
export type RepositoryTab = "overview" | "requests" | "problems" | "log" | "differences";

/** Where in a text the eye should be taken. A new object each time, so that going there twice works. */
export interface Reveal {
  path: string;
  from: number;
  to: number;
  /** The line, from 1, where the span is not known: of a traceback. */
  line?: number;
}

/** What the window shows: the repository (model "") or one model, and which of its tabs. */
export interface Place {
  model: string;
  modelTab: ModelTab;
  repositoryTab: RepositoryTab;
  reveal?: Reveal;
  /** Where in a text one was before, on the way back to it. */
  restore?: TextSpot;
}

export const usePlace = create<Place>(() => ({ model: "", modelTab: "try", repositoryTab: "overview" }));

const nowhere = { reveal: undefined, restore: undefined };

/** Shows a model; without a tab it keeps the one that is open. */
export function goToModel(model: string, tab?: ModelTab): void {
  usePlace.setState((place) => ({ model, modelTab: tab ?? place.modelTab, ...nowhere }));
}

export function goToRepository(tab: RepositoryTab = "overview"): void {
  usePlace.setState({ model: "", repositoryTab: tab, ...nowhere });
}

/** Opens a model's config with the given span selected; offsets are UTF-16 code units. */
export function revealInConfig(model: string, reveal: Reveal): void {
  usePlace.setState({ model, modelTab: "config", reveal, restore: undefined });
}

/** Where a problem is. One of a program has a line alone. */
export const revealOf = ({ path, from, to, line }: Reveal): Reveal =>
  from === 0 && to === 0 ? { path, from, to, line } : { path, from, to };

const modelTabs: readonly ModelTab[] = ["try", "config", "metrics", "log", "files", "debug", "graph"];
const repositoryTabs: readonly RepositoryTab[] = ["overview", "requests", "problems", "log", "differences"];

/** The place as an address fragment, so that a page reload comes back to it. */
export function toHash({ model, modelTab, repositoryTab }: Place): string {
  return model === "" ? `#/${repositoryTab}` : `#/models/${encodeURIComponent(model)}/${modelTab}`;
}

export function fromHash(hash: string): Partial<Place> {
  const parts = hash.replace(/^#\//, "").split("/");
  if (parts[0] === "models" && parts[1]) {
    const tab = modelTabs.find((name) => name === parts[2]) ?? "try";
    return { model: decodeURIComponent(parts[1]), modelTab: tab };
  }
  return { model: "", repositoryTab: repositoryTabs.find((name) => name === parts[0]) ?? "overview" };
}
