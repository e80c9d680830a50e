import { create } from "zustand";
import { clients } from "../api/client";
import { Diagnostic_Severity, type FileProblems, type ModelSummary } from "../api/conch_pb";
import { useDrafts } from "./drafts";
import { useWorkspace, type WorkspaceState } from "./workspace";

export interface Tally {
  errors: number;
  warnings: number;
}

interface UnsavedProblems {
  /** How many problems models have by texts that are not saved: their own, or those of what they are made of. */
  tallies: ReadonlyMap<string, Tally>;
  files: readonly FileProblems[];
}

const none: UnsavedProblems = { tallies: new Map(), files: [] };

/** What lists and counts say about texts that are not saved, so that they agree with the squiggles. */
export const useUnsavedProblems = create<UnsavedProblems>(() => none);

/** A pause in typing; the squiggles do not wait for it. */
const PAUSE_MS = 100;

export const configDrafts = () =>
  [...useDrafts.getState().drafts.values()]
    .filter((draft) => draft.path.endsWith(".pbtxt"))
    .map(({ model, path, text }) => ({ model, path, text }));

export function tallyOf(names: readonly string[], files: readonly FileProblems[]): Map<string, Tally> {
  const tallies = new Map(names.map((name) => [name, { errors: 0, warnings: 0 }]));
  for (const { model, diagnostics } of files) {
    const tally = tallies.get(model);
    if (!tally) continue;
    for (const { severity } of diagnostics) {
      if (severity === Diagnostic_Severity.ERROR) tally.errors++;
      else if (severity === Diagnostic_Severity.WARNING) tally.warnings++;
    }
  }
  return tallies;
}

/** How many problems a model has now, saved or not. */
export const tallyNow = (summary: ModelSummary, { tallies }: UnsavedProblems): Tally =>
  tallies.get(summary.name) ?? summary;

/** How many the repository has now: those of saved files, but for models that unsaved texts concern. */
export function totalNow(
  { repository, models }: Pick<WorkspaceState, "repository" | "models">,
  { tallies }: UnsavedProblems,
): Tally {
  const sum = { errors: repository?.errors ?? 0, warnings: repository?.warnings ?? 0 };
  for (const [name, { errors, warnings }] of tallies) {
    const saved = models.get(name);
    if (!saved) continue;
    sum.errors += errors - saved.errors;
    sum.warnings += warnings - saved.warnings;
  }
  return sum;
}

/** The problems of the repository now, by model. */
export function filesNow(
  saved: readonly FileProblems[],
  { tallies, files }: UnsavedProblems,
): FileProblems[] {
  if (tallies.size === 0) return [...saved];
  const others = saved.filter(({ model }) => !tallies.has(model));
  return [...others, ...files].sort((a, b) => (a.model < b.model ? -1 : Number(a.model > b.model)));
}

/** Judges texts that are not saved, whenever one of them or something they are judged by has changed. */
export function followDrafts(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let newest = 0;
  const judge = async () => {
    timer = undefined;
    const number = ++newest;
    const unsaved = configDrafts();
    if (unsaved.length === 0) {
      if (useUnsavedProblems.getState() !== none) useUnsavedProblems.setState(none);
      return;
    }
    try {
      const { rejudged, files } = await clients.workspace.listProblems({ unsaved });
      if (number === newest) useUnsavedProblems.setState({ tallies: tallyOf(rejudged, files), files });
    } catch {
      // What was known last stays; the status bar says that the app does not answer.
    }
  };
  const soon = () => {
    timer ??= setTimeout(() => void judge(), PAUSE_MS);
  };
  soon();
  const stops = [
    useDrafts.subscribe(soon),
    useWorkspace.subscribe((now, before) => {
      if (now.models !== before.models && useDrafts.getState().drafts.size > 0) soon();
    }),
  ];
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}
