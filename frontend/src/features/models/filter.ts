import type { ModelSummary } from "../../api/conch_pb";
import { ModelState } from "../../api/conch_pb";

/** A line of the sidebar's list: a heading or a model. */
export type Line = { type: "group"; label: string; count: number } | { type: "model"; model: ModelSummary };

/** Words that can be typed into the filter beside names. */
const stateWords: Record<string, readonly ModelState[]> = {
  ready: [ModelState.READY, ModelState.OLDER_SERVES],
  failed: [ModelState.FAILED, ModelState.DIED, ModelState.OLDER_SERVES],
  loading: [ModelState.LOADING, ModelState.UNLOADING],
  waiting: [ModelState.WAITING, ModelState.UNTRUSTED],
  untrusted: [ModelState.UNTRUSTED],
  unloaded: [ModelState.UNLOADED],
};

function matchesWord(model: ModelSummary, word: string): boolean {
  if (model.name.toLowerCase().includes(word) || model.kind.toLowerCase() === word) return true;
  return stateWords[word]?.includes(model.state) ?? false;
}

/** Every word of the filter has to match: part of the name, the kind, or a state. */
export function matches(model: ModelSummary, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => matchesWord(model, word));
}

const order = new Intl.Collator("en", { numeric: true });

function group(label: string, models: ModelSummary[]): Line[] {
  if (models.length === 0) return [];
  models.sort((a, b) => order.compare(a.name, b.name));
  return [
    { type: "group", label, count: models.length },
    ...models.map((model): Line => ({ type: "model", model })),
  ];
}

/** The list as it is drawn: ensembles first, then models, each sorted by name. */
export function linesOf(models: Iterable<ModelSummary>, filter: string): Line[] {
  const shown = [...models].filter((model) => matches(model, filter));
  return [
    ...group(
      "Ensembles",
      shown.filter((model) => model.ensemble),
    ),
    ...group(
      "Models",
      shown.filter((model) => !model.ensemble),
    ),
  ];
}
