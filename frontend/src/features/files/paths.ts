/** Whether a path goes up out of the folder that it begins in. */
function leaves(path: string): boolean {
  let depth = 0;
  for (const part of path.split("/")) {
    if (part === "..") depth -= 1;
    else if (part !== "" && part !== ".") depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

/** Why a file of a model cannot have a path, as far as the path alone tells. */
export function pathProblem(model: string, path: string): string | undefined {
  if (path.startsWith("/")) return `A path begins in ${model}/: leave the first / out`;
  if (leaves(path)) return `The path leads outside ${model}/`;
  if (path.endsWith("/")) return `${path} is a folder: add the name of the file`;
  return undefined;
}
