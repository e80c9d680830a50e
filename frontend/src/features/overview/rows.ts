/** Rows of the models table: the text of each cell, and their order. Pure functions. */
import { create } from "@bufbuild/protobuf";
import { type MetricSummary, ModelState, type ModelSummary, ModelSummarySchema } from "../../api/conch_pb";

export type SortKey = "state" | "name" | "kind" | "memory" | "rate" | RangeKey;

/** Columns of what a model did in the range. */
export type RangeKey = "requests" | "p50" | "p99" | "failures";

/** What failed first, then what waits for trust, as both need attention; then what works, what is on its way, and what is not loaded. */
const order: Record<ModelState, number> = {
  [ModelState.READY]: 0,
  [ModelState.OLDER_SERVES]: 0,
  [ModelState.LOADING]: 1,
  [ModelState.UNLOADING]: 1,
  [ModelState.WAITING]: 1,
  [ModelState.FAILED]: -2,
  [ModelState.DIED]: -2,
  [ModelState.UNTRUSTED]: -1,
  [ModelState.UNLOADED]: 3,
  [ModelState.NOT_RUNNABLE]: 4,
  [ModelState.UNSPECIFIED]: 5,
};

const numbers: Partial<Record<SortKey, (model: ModelSummary, inRange?: MetricSummary) => number>> = {
  memory: (model) => Number(model.memoryBytes),
  rate: (model) => model.requestsPerSecond,
  requests: (_, inRange) => Number(inRange?.requests ?? 0),
  p50: (_, inRange) => known(inRange?.p50Ms),
  p99: (_, inRange) => known(inRange?.p99Ms),
  failures: (_, inRange) => Number(inRange?.failures ?? 0),
};

const rangeKeys: readonly SortKey[] = ["requests", "p50", "p99", "failures"];

/** Whether the order rests on what all models did in the range. */
export const sortsByRange = (key: SortKey): boolean => rangeKeys.includes(key);

const known = (value: number | undefined) => (Number.isFinite(value) ? (value as number) : -1);

/** Sorts for a column; numbers go from the largest down, and names settle what is equal. */
export function sortModels(
  models: Iterable<ModelSummary>,
  key: SortKey,
  inRange: ReadonlyMap<string, MetricSummary> = new Map(),
): ModelSummary[] {
  const byName = (a: ModelSummary, b: ModelSummary) => (a.name < b.name ? -1 : 1);
  const number = numbers[key];
  const of = (model: ModelSummary) => number?.(model, inRange.get(model.name)) ?? 0;
  return [...models].sort((a, b) => {
    if (number) return of(b) - of(a) || byName(a, b);
    if (key === "kind") return a.kind.localeCompare(b.kind) || byName(a, b);
    if (key === "name") return byName(a, b);
    return order[a.state] - order[b.state] || Number(b.ensemble) - Number(a.ensemble) || byName(a, b);
  });
}

type Models = ReadonlyMap<string, ModelSummary>;

/** The models with requests in the range that the repository no longer has: what they did counts in its figures too. */
export const removedOf = (inRange: ReadonlyMap<string, MetricSummary>, models: Models): string[] =>
  [...inRange.values()]
    .filter(({ model, requests }) => model !== "" && requests > 0n && !models.has(model))
    .map(({ model }) => model)
    .sort();

/** Rows of such models. One may be back meanwhile. */
export const removedModels = (names: readonly string[], models: Models): ModelSummary[] =>
  names.filter((name) => !models.has(name)).map((name) => create(ModelSummarySchema, { name }));

/** Whether the model answers requests now. */
export function serves(model: ModelSummary): boolean {
  return model.state === ModelState.READY || model.state === ModelState.OLDER_SERVES;
}

const quiet: readonly ModelState[] = [ModelState.READY, ModelState.UNLOADED];

/** The sentence at the row's end: why a model is not simply ready. */
export function noteOf(model: ModelSummary): string {
  return quiet.includes(model.state) ? "" : model.lacks || model.reason;
}
