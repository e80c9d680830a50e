/**
 * What was entered for requests and not sent outlives a reload of the page, in its session. Files and drawings do not: an
 * input that has one begins as it was last sent.
 */
import type { ModelTry } from "./tries";
import type { InputDraft } from "./tryDrafts";

const KEY = "conch-tries";
const SAVE_AFTER_MS = 300;
const longest = 100_000; // characters of one text
const mostModels = 50; // the newest

type Entered = Pick<ModelTry, "mode" | "batch" | "inputs" | "id" | "json" | "jsonEdited">;

type Kept = { readonly repository: string; readonly models: Map<string, Entered> };

let kept: Kept | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

const isTyped = ({ source, values = "" }: InputDraft) =>
  (source === "values" || source === "random") && values.length <= longest;

/** The part of a try that can be kept; undefined where that is nothing. */
function enteredOf({ mode, batch, inputs, id, json, jsonEdited }: ModelTry): Entered | undefined {
  const typed = Object.entries(inputs).flatMap(([name, draft]): [string, InputDraft][] =>
    isTyped(draft) ? [[name, { ...draft, drawing: undefined, files: undefined, refused: undefined }]] : [],
  );
  const hasJson = jsonEdited && json.length <= longest;
  if (typed.length === 0 && batch === 1 && !hasJson) return undefined;
  const text = hasJson ? { mode, json, jsonEdited } : { mode: "form" as const, json: "", jsonEdited: false };
  return { batch, id, inputs: Object.fromEntries(typed), ...text };
}

const isDraft = (value: unknown): value is InputDraft => {
  const { source, shape, skip } = (value ?? {}) as Partial<InputDraft>;
  return (
    ["values", "random"].includes(source ?? "") &&
    Array.isArray(shape) &&
    shape.every(Number.isSafeInteger) &&
    typeof skip === "boolean"
  );
};

function isEntered(value: unknown): value is Entered {
  const { mode, batch, inputs, id, json, jsonEdited } = (value ?? {}) as Partial<Entered>;
  return (
    (mode === "form" || mode === "json") &&
    Number.isSafeInteger(batch) &&
    [typeof id, typeof json].every((type) => type === "string") &&
    typeof jsonEdited === "boolean" &&
    typeof inputs === "object" &&
    inputs !== null &&
    Object.values(inputs).every(isDraft)
  );
}

/** What the session has of a repository; what has another shape is left out. */
function read(repository: string): Kept {
  if (kept?.repository === repository) return kept;
  kept = { repository, models: new Map() };
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Record<string, unknown>;
    if (stored.repository !== repository || !Array.isArray(stored.models)) return kept;
    for (const [model, entered] of stored.models as [unknown, unknown][])
      if (typeof model === "string" && isEntered(entered)) kept.models.set(model, entered);
  } catch {
    // Nothing that can be read: the forms begin with what was sent last.
  }
  return kept;
}

/** What was entered for a model before the page was loaded again. */
export const keptTry = (repository: string, model: string): Entered | undefined =>
  read(repository).models.get(model);

/** Keeps what is entered for a model now, with what else has changed by then. */
export function keepTry(repository: string, model: string, now: ModelTry | undefined): void {
  const { models } = read(repository);
  const entered = now && enteredOf(now);
  models.delete(model);
  if (entered) models.set(model, entered);
  for (const oldest of models.keys()) {
    if (models.size <= mostModels) break;
    models.delete(oldest);
  }
  timer ??= setTimeout(write, SAVE_AFTER_MS);
}

function write(): void {
  clearTimeout(timer);
  timer = undefined;
  if (!kept) return;
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...kept, models: [...kept.models] }));
  } catch {
    // No room, or no storage: what is entered ends with the page.
  }
}

window.addEventListener("pagehide", () => {
  if (timer !== undefined) write();
});
