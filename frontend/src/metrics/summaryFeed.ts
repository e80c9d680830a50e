/** What several models did in a range as a whole: one question for all of those that are looked at. */
import { clients } from "../api/client";
import type { MetricSummary } from "../api/conch_pb";
import { sameView, spanOf, type View } from "../lib/range";
import { type Activity, told } from "./activity";

export type SummaryState = {
  readonly view: View;
  readonly summaries: ReadonlyMap<string, MetricSummary>; // by model; "" is the repository
};

type Summarize = typeof clients.metrics.summarize;

export type SummaryOptions = {
  readonly view: View;
  readonly points: number; // of each line of rates
  readonly removed?: boolean; // also of models that the repository no longer has
  readonly summarize?: Summarize;
  readonly now?: () => number;
  readonly activity?: Activity;
};

export type SummaryFeed = {
  getState(): SummaryState;
  subscribe(listener: () => void): () => void;
  start(): void;
  stop(): void;
  setView(view: View): void;
  want(models: readonly string[] | "all"): void; // what is looked at now
};

const briskMs = 2000; // for ranges in which a few requests are seen at once
const slowMs = 10_000;
const quietMs = 15_000; // while nothing happens
const linesMs = 5000; // lines of rates are larger answers
const settleMs = 120; // while rows scroll by, nothing is asked

/** A behaviour machine. What was known of a model stays until there is something newer. */
export function createSummaryFeed({
  view: first,
  points,
  removed = false,
  summarize = clients.metrics.summarize,
  now = Date.now,
  activity = told,
}: SummaryOptions): SummaryFeed {
  const listeners = new Set<() => void>();
  let state: SummaryState = { view: first, summaries: new Map() };
  let wanted: readonly string[] | "all" = [];
  let old = false; // the summaries are of the view before; they are replaced as a whole
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort: AbortController | undefined;
  let forget = () => {};

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
          { models, from: BigInt(Math.floor(from)), to: until, points, removed },
          { signal },
        );
        if (signal.aborted) return;
        const known = new Map(old || wanted === "all" ? [] : state.summaries);
        old = false;
        for (const summary of answer.summaries) known.set(summary.model, summary);
        if (!same(known, state.summaries)) publish({ summaries: known });
      } catch {
        if (signal.aborted) return; // the charts beside say that nothing answers
      }
    }
    askIn(activity.isQuiet() ? quietMs : waitFor(state.view, points), signal);
  };

  const askIn = (ms: number, signal: AbortSignal) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined; // it is set again when the answer is here
      void ask(signal);
    }, ms);
  };

  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
    forget();
    abort?.abort();
    abort = undefined;
  };

  const start = (afterMs = 0) => {
    stop();
    abort = new AbortController();
    const { signal } = abort;
    forget = activity.onBegin(() => timer !== undefined && askIn(0, signal));
    askIn(afterMs, signal);
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

function waitFor({ range, zoom }: View, points: number): number {
  const brisk = zoom === undefined && (range === "5m" || range === "15m");
  return brisk ? Math.max(briskMs, points > 0 ? linesMs : 0) : slowMs;
}

/** Whether nothing has changed, so that nothing has to be drawn. */
function same(a: SummaryState["summaries"], b: SummaryState["summaries"]): boolean {
  return a.size === b.size && [...a].every(([model, summary]) => textOf(summary) === textOf(b.get(model)));
}

const textOf = (summary: MetricSummary | undefined) => summary && Object.values(summary).join();
