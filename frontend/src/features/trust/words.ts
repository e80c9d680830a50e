import type { OwnCode } from "../../api/conch_pb";

/** How many libraries are named before the rest is counted. */
const NAMED = 2;

type Code = Pick<OwnCode, "model" | "path">;

/** What would run: "ops runs the library libops.so with all your rights." */
export function wouldRun(code: readonly Code[]): string {
  const models = [...new Set(code.map(({ model }) => model))];
  const libraries = [...new Set(code.map(({ path }) => path))];
  const verb = models.length === 1 ? "runs" : "run";
  const noun = libraries.length === 1 ? "library" : "libraries";
  return `${named(models, "models")} ${verb} the ${noun} ${named(libraries)} with all your rights.`;
}

function named(names: readonly string[], rest = ""): string {
  const left = names.length - NAMED;
  if (left <= 0) return names.join(" and ");
  return `${names.slice(0, NAMED).join(", ")} and ${left} more ${rest}`.trimEnd();
}
