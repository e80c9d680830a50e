import { useQuery } from "@tanstack/react-query";
import { type Diagnostic, Diagnostic_Severity, type FileProblems, type ModelSummary } from "../api/conch_pb";
import { problemsQuery } from "../api/queries";

/** A problem that was found in a file, and where. */
export interface Finding extends Pick<Diagnostic, "message" | "triton" | "from" | "to" | "line"> {
  model: string;
  path: string;
}

const none: readonly FileProblems[] = [];

/** Triton puts the kind of an error before it, and not always a full stop behind it. */
export const core = (text: string): string =>
  text
    .replace(/^(Invalid argument|Internal|Not found|Unavailable|Unsupported): /, "")
    .replace(/\.$/, "")
    .trim();

/** A sentence that follows a colon begins with a small letter. */
const holds = (text: string, sentence: string) =>
  sentence !== "" &&
  (text.includes(sentence) || text.includes(sentence.charAt(0).toLowerCase() + sentence.slice(1)));

/** A problem in the file that has it. */
export interface Found {
  file: FileProblems;
  found: Diagnostic;
}

/** Triton says so of a model that is asked for and whose config it does not take, and not why. */
const isPolled = (text: string): boolean => /failed to poll from model repository\W*$/.test(text);

/** The error that a sentence about a model repeats, in Triton's words or in ours. */
function foundFor(files: readonly FileProblems[], model: string, text: string): Found | undefined {
  if (model === "" || text === "") return undefined;
  const repeats = (sentence: string) => holds(text, core(sentence));
  for (const file of files) {
    if (file.model !== model) continue;
    const errors = file.diagnostics.filter(({ severity }) => severity === Diagnostic_Severity.ERROR);
    const found =
      (isPolled(text) && errors.find(({ first }) => first)) ||
      errors.find(
        ({ triton, message, follows }) => (isPolled(text) && !follows) || repeats(triton) || repeats(message),
      );
    if (found) return { file, found };
  }
  return undefined;
}

/** The same as a place in a file. */
export function findingFor(files: readonly FileProblems[], model: string, text: string): Finding | undefined {
  const known = foundFor(files, model, text);
  return known && { ...known.found, model, path: known.file.path };
}

/** All that was found in the files of the repository. */
export const useFindings = (enabled = true): readonly FileProblems[] =>
  useQuery({ ...problemsQuery(), enabled }).data?.files ?? none;

/** The error of a file that a sentence about a model repeats. */
export function useFinding(model: string, text: string): Finding | undefined {
  return findingFor(useFindings(text !== ""), model, text);
}

/** Why a model is in its state, in better words than Triton's, where Conch has them. */
export function useBetterReason({ name, lacks, reason }: ModelSummary): string | undefined {
  const finding = useFinding(name, reason);
  return lacks || finding?.message;
}
