import type { OwnCode } from "../../api/conch_pb";

/** How many files are named before the rest is counted. */
const NAMED = 2;

type Code = Pick<OwnCode, "model" | "path" | "field">;

/** What would run: "ops runs the library libops.so with all your rights." */
export function wouldRun(code: readonly Code[]): string {
  const models = [...new Set(code.map(({ model }) => model))];
  const verb = models.length === 1 ? "runs" : "run";
  const files = KINDS.map(([one, many]) =>
    counted(paths(code.filter((file) => kind(file) === one)), one, many),
  ).filter((text) => text !== "");
  return `${named(models, "model")} ${verb} ${files.join(" and ")} with all your rights.`;
}

const KINDS = [
  ["program", "programs"],
  ["backend", "backends"],
  ["model file", "model files"],
  ["library", "libraries"],
] as const;

/** A Python model is a program: its field is the backend. A backend that is none of Conch's may run anything. Frameworks open model files, which can hold code. */
function kind({ field }: Code): (typeof KINDS)[number][0] {
  if (field === "backend") return "program";
  if (field === "own backend") return "backend";
  return field === "default_model_filename" ? "model file" : "library";
}

const paths = (code: readonly Code[]) => [...new Set(code.map(({ path }) => path))];

function counted(files: readonly string[], one: string, many: string): string {
  return files.length === 0 ? "" : `the ${files.length === 1 ? one : many} ${named(files)}`;
}

/** What more there is has its noun, where it has one. */
function named(names: readonly string[], noun = ""): string {
  const left = names.length - NAMED;
  if (left <= 0) return names.join(" and ");
  return `${names.slice(0, NAMED).join(", ")} and ${left} more${noun && ` ${left === 1 ? noun : `${noun}s`}`}`;
}
