/** What keeps a model from being loaded, as Conch sees it before anything is tried. */
import {
  type Diagnostic,
  Diagnostic_Severity,
  type FileProblems,
  type Fix,
  ModelState,
  type ModelSummary,
} from "../api/conch_pb";
import { draftOf } from "./drafts";
import { type Found, useFindings } from "./findings";

export interface Blocker {
  /** What is missing or wrong, in sentences. */
  text: string;
  /** The problem in its file; undefined where only the files are missing. */
  problem?: Found;
  /** The fix that writes the missing file, where no other fix comes before it. */
  writes?: Fix & { file: NonNullable<Fix["file"]> };
}

const idle = new Set([ModelState.UNLOADED, ModelState.FAILED]);

/** Whether there may be something: the model rests, and Conch sees an error or misses a file. */
export const mayBeBlocked = ({ state, errors, lacks }: ModelSummary): boolean =>
  idle.has(state) && (errors > 0 || lacks !== "");

const isWriting = (fix: Fix | undefined): fix is NonNullable<Blocker["writes"]> => fix?.file !== undefined;

const writing = ({ fixes: [first] }: Diagnostic) => (isWriting(first) ? first : undefined);

/** The error by which a load fails. Errors of texts that are not saved do not count: the engine reads the disk. */
export function blockerFor(files: readonly FileProblems[], model: ModelSummary): Blocker | undefined {
  if (!mayBeBlocked(model)) return undefined;
  const errors: Found[] = files
    .filter((file) => file.model === model.name && !draftOf(file.model, file.path))
    .flatMap((file) => file.diagnostics.map((found) => ({ file, found })))
    .filter(({ found }) => found.severity === Diagnostic_Severity.ERROR && !found.follows);
  const problem =
    errors.find(({ found }) => found.first) ?? errors.find(({ found }) => writing(found)) ?? errors[0];
  const text = model.lacks || problem?.found.message;
  return text ? { text, problem, writes: problem && writing(problem.found) } : undefined;
}

export function useBlocker(model: ModelSummary | undefined): Blocker | undefined {
  const files = useFindings(model !== undefined && mayBeBlocked(model));
  return model && blockerFor(files, model);
}
