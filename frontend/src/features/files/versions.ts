import type { ModelFile } from "../../api/conch_pb";

/** The version folders among a model's files, ascending. */
export function versionsOf(files: readonly ModelFile[]): number[] {
  const numbers = files.flatMap(({ path }) => /^([1-9]\d*)\//.exec(path)?.slice(1).map(Number) ?? []);
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** Where something new goes where nobody says it: the newest version, or the first one to be. */
export const newestFolder = (files: readonly ModelFile[]): string => String(versionsOf(files).at(-1) ?? 1);
