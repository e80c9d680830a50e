/** The problem of the config behind a broken part of the drawing. Pure functions. */
import { type Diagnostic, Diagnostic_Severity, type FileProblems } from "../../api/conch_pb";
import { core, type Found } from "../../workspace/findings";

type Part = { readonly problem: string; readonly offset: number };

/** Whether two sentences say the same; one of them may say more. */
function agrees(one: string, other: string): boolean {
  const [a, b] = [core(one).toLowerCase(), core(other).toLowerCase()];
  return a !== "" && b !== "" && (a.includes(b) || b.includes(a));
}

const away = ({ from, to }: Diagnostic, offset: number) => Math.max(from - offset, offset - to, 0);

/** The error with a fix that says the same of the nearest place: two steps may have the same problem. */
export function foundAt(
  files: readonly FileProblems[],
  model: string,
  { problem, offset }: Part,
): Found | undefined {
  if (problem === "") return undefined;
  const same = files
    .filter((file) => file.model === model)
    .flatMap((file) => file.diagnostics.map((found) => ({ file, found })))
    .filter(
      ({ found: { severity, fixes, message, triton } }) =>
        severity === Diagnostic_Severity.ERROR &&
        fixes.length > 0 &&
        (agrees(message, problem) || agrees(triton, problem)),
    );
  return same.sort((a, b) => away(a.found, offset) - away(b.found, offset))[0];
}
