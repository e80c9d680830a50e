import type { GetModelResponse, ModelFile } from "../../api/conch_pb";
import { useModel } from "../../api/queries";

/** How the model file of a version is called, as the program tells. */
export type ModelNames = Pick<GetModelResponse, "modelFile" | "modelEndings" | "weightsFile">;

const none: ModelNames = { modelFile: "", modelEndings: [], weightsFile: "" };

export const useModelNames = (model: string): ModelNames => useModel(model).data ?? none;

const endingOf = (name: string) => /\.[^.]*$/.exec(name)?.[0] ?? "";
const stemOf = (name: string) => name.slice(0, name.length - endingOf(name).length);

/**
 * The names under which files are added to a folder. In a version without a model file, the only file that can be one gets the name that
 * the backend looks for, with a second file that it needs. All others keep their names: the model file names them.
 */
export function namesIn(
  folder: string,
  adding: readonly { readonly name: string }[],
  files: readonly ModelFile[],
  { modelFile, modelEndings, weightsFile }: ModelNames,
): string[] {
  const names = adding.map(({ name }) => name);
  const there = [...names.map((name) => `${folder}/${name}`), ...files.map(({ path }) => path)];
  const at = `${folder}/${modelFile}`;
  const hasOne = there.some((path) => path === at || path.startsWith(`${at}/`));
  const main = names.filter((name) => modelEndings.includes(endingOf(name)));
  if (modelFile === "" || !/^[1-9]\d*$/.test(folder) || hasOne || main.length !== 1) return names;
  const weights = weightsFile === "" ? "" : stemOf(main[0] ?? "") + endingOf(weightsFile);
  return names.map((name) => {
    if (name === main[0]) return modelFile;
    return name === weights && !there.includes(`${folder}/${weightsFile}`) ? weightsFile : name;
  });
}
