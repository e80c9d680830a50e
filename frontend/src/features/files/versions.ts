import type { ModelFile } from "../../api/conch_pb";

/** The version folders among a model's files, ascending. */
export function versionsOf(files: readonly ModelFile[]): number[] {
  const numbers = files.flatMap(({ path }) => /^([1-9]\d*)\//.exec(path)?.slice(1).map(Number) ?? []);
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** Where something new goes where nobody says it: the newest version, or the first one to be. */
export const newestFolder = (files: readonly ModelFile[]): string => String(versionsOf(files).at(-1) ?? 1);

const hasProgram = (files: readonly ModelFile[]) => files.some(({ path }) => /^\d+\/.*\.py$/.test(path));

/** Whether a file is read from beside the config: what lies there of a new model, too (besideConfig in app/upload). */
const isBesideConfig = (name: string, files: readonly ModelFile[]) =>
  name === "config.pbtxt" || name === "requirements.txt" || (/\.txt$/i.test(name) && !hasProgram(files));

/** Where files that are added go where nobody says it. */
export const folderFor = (names: readonly string[], files: readonly ModelFile[]): string =>
  names.every((name) => isBesideConfig(name, files)) ? "" : newestFolder(files);
