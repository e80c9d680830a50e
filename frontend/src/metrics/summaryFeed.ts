/** What several models did in a range as a whole: one question for all of those that are looked at. */
import { clients } from "../api/client";
import type { MetricSummary } from "../api/conch_pb";
import { sameView, spanOf, type View } from "../lib/range";

export type SummaryState = {
  readonly view: View;
  readonly summaries: ReadonlyMap<string, MetricSummary>; // by model; "" is the repository
};

type Summarize = typeof clients.metrics.summarize;

export type SummaryOptions = {
  readonly view: View;
  readonly points: number; // of each line of rates
  readonly summarize?: Summarize;
  readonly now?: () => number;
};

export type SummaryFeed = {
  getState(): SummaryState;
  subscribe(listener: () => void): () => void;
  start(): void;
  stop(): void;
  setView(view: View): void;
  want(models: readonly string[] | "all"): void; // what is looked at now
};

const everyMs = 10_000;
const settleMs = 120; // while rows scroll by, nothing is asked

/** A behaviour machine. What was known of a model stays until there is something newer. */
export function createSummaryFeed({
  view: first,
  points,
  summarize = clients.metrics.summarize,
  now = Date.now,
}: SummaryOptions): SummaryFeed {
  const listeners = new Set<() => void>();
  let state: SummaryState = { view: first, summaries: new Map() };
  let wanted: readonly string[] | "all" = [];
  let old = false; // the summaries are of the view before; they are replaced as a whole
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort: AbortController | undefined;

  const publish = (next: Partial<SummaryState>) => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };

  const ask = async (signal: AbortSignal) => {
    const { from, to } = spanOf(state.view, now());
    const models = wanted === "all" ? [] : [...wanted];
    if (wanted === "all" || models.length > 0) {
      try {
        const until = state.view.zoom ? BigInt(to) : 0n;
        const answer = await summarize(
          { models, from: BigInt(Math.floor(from)), to: until, points },
          { signal },
        );
        if (signal.aborted) return;
        const known = new Map(old || wanted === "all" ? [] : state.summaries);
        old = false;
        for (const summary of answer.summaries) known.set(summary.model, summary);
        publish({ summaries: known });
      } catch {
        if (signal.aborted) return; // the charts beside say that nothing answers
      }
    }
    timer = setTimeout(() => void ask(signal), everyMs);
  };

  const stop = () => {
    clearTimeout(timer);
    abort?.abort();
    abort = undefined;
  };

  const start = (afterMs = 0) => {
    stop();
    abort = new AbortController();
    const { signal } = abort;
    timer = setTimeout(() => void ask(signal), afterMs);
  };

  return {
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () => start(),
    stop,
    setView: (view) => {
      if (sameView(view, state.view)) return;
      old = true;
      publish({ view });
      if (abort) start();
    },
    want: (models) => {
      const unknown = models === "all" || models.some((model) => !state.summaries.has(model));
      const changed = models === "all" ? wanted !== "all" : unknown;
      wanted = models;
      if (abort && changed) start(settleMs);
    },
  };
}
