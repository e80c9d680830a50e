/** Metrics of one model, or of the repository, over a span of time: asked for once, then kept up to date. */
import { clients } from "../api/client";
import type { Notice } from "../api/conch_pb";
import { type Span, sameView, spanOf, type View } from "../lib/range";
import { append, emptySeries, type Series, toSeries } from "../lib/series";
import { type Activity, told } from "./activity";

export type FeedState = {
  readonly view: View;
  readonly series: Series;
  readonly events: readonly Notice[];
  readonly from: number; // Unix seconds: the ends of the time axis, whether anything was measured there or not
  readonly to: number;
  readonly loading: boolean; // nothing has arrived for this view yet
  readonly error: unknown; // undefined when the newest question was answered
};

type Query = typeof clients.metrics.query;

export type FeedOptions = {
  readonly model: string;
  readonly view: View;
  readonly query?: Query;
  readonly now?: () => number;
  readonly activity?: Activity;
};

export type Feed = {
  getState(): FeedState;
  subscribe(listener: () => void): () => void;
  start(): void; // begins to ask, also again after stop
  stop(): void; // asks nothing more; what is known stays
  setView(view: View): void;
};

const maxPoints = 300; // five minutes are shown by the second; more points than pixels make a line a smear
const leastPollMs = 1000;
const mostPollMs = 30_000;
const leastQuietPollMs = 5000;
const quietSteps = 3; // while nothing happens, so many points are asked for at once
const eventMs = 150; // events that are told one after the other are asked for at once
const lateMs = 2000; // a second's sample is written at the end of the next one

/** A behaviour machine. Answers to an older view are dropped. */
export function createFeed({
  model,
  view,
  query = clients.metrics.query,
  now = Date.now,
  activity = told,
}: FeedOptions): Feed {
  const listeners = new Set<() => void>();
  let state = initial(view, now());
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort: AbortController | undefined; // set while it runs
  let forget = () => {};
  let asksSoon = false; // an event was told: it is asked for after this answer, or in a moment
  let whole = false; // the series is of this view, so that newer points can be joined to it

  const publish = (next: Partial<FeedState>) => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };

  const ask = async (signal: AbortSignal) => {
    const span = spanOf(state.view, now());
    try {
      const fresh = (whole && (await newer(span, signal))) || (await all(span, signal));
      if (signal.aborted) return;
      whole = true;
      publish({ ...fresh, ...axis(state.view, span, fresh.series.stepMs), loading: false, error: undefined });
    } catch (error) {
      if (signal.aborted) return;
      publish({ ...axis(state.view, span, state.series.stepMs), error, loading: false });
    }
    const wait = asksSoon ? eventMs : waitFor(state, now(), activity.isQuiet());
    if (wait !== undefined) timer = setTimeout(() => askNow(signal), wait);
  };

  const askNow = (signal: AbortSignal) => {
    clearTimeout(timer);
    timer = undefined; // it is set again when the answer is here
    asksSoon = false;
    void ask(signal);
  };

  const askSoon = (signal: AbortSignal) => {
    if (asksSoon) return;
    asksSoon = true;
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = setTimeout(() => askNow(signal), eventMs);
  };

  const answer = (from: number, to: number, stepMs: number, signal: AbortSignal) => {
    const until = state.view.zoom ? BigInt(to) : 0n;
    return query({ model, from: BigInt(Math.floor(from)), to: until, maxPoints, stepMs }, { signal });
  };

  const all = async ({ from, to }: Span, signal: AbortSignal) => {
    const { events, ...columns } = await answer(from, to, 0, signal);
    return { series: toSeries(columns), events };
  };

  /** What came since the newest point, which may have been half full. Nothing where points have another step now. */
  const newer = async ({ from, to }: Span, signal: AbortSignal) => {
    const { series, events } = state;
    const since = Math.max(from, (series.time.at(-1) ?? 0) * 1000);
    const fresh = await answer(since, to, series.stepMs, signal);
    if (fresh.stepMs !== series.stepMs) return undefined;
    const joined = append(series, fresh, (from - fresh.stepMs) / 1000);
    return { series: joined, events: mergeEvents(events, fresh.events, from) };
  };

  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
    forget();
    abort?.abort();
    abort = undefined;
  };

  const start = () => {
    stop();
    abort = new AbortController();
    const { signal } = abort;
    const forgetBegin = activity.onBegin(() => timer !== undefined && askNow(signal));
    const forgetTold = activity.onTold(() => askSoon(signal));
    forget = () => {
      forgetBegin();
      forgetTold();
    };
    askNow(signal);
  };

  return {
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start,
    stop,
    setView: (next) => {
      if (sameView(next, state.view)) return;
      whole = false;
      publish({ ...initial(next, now()), series: state.series });
      if (abort) start();
    },
  };
}

/**
 * The ends of the time axis. A range moves on with its points, not between them. It ends with the point that is being
 * measured, so that what happens now is on the chart.
 */
function axis({ range, zoom }: View, { from, to }: Span, stepMs: number): { from: number; to: number } {
  const step = Math.max(stepMs, 1000);
  const ahead = zoom ? 0 : Math.ceil(to / step) * step - to;
  return { from: (range === "yesterday" ? from : from + ahead) / 1000, to: (to + ahead) / 1000 };
}

/** How long until there may be something new; undefined when there never is. */
function waitFor({ series, view, error }: FeedState, now: number, quiet: boolean): number | undefined {
  const past = view.zoom !== undefined && now > view.zoom.to + series.stepMs + lateMs;
  if (past && error === undefined) return undefined;
  const wait = quiet ? Math.max(quietSteps * series.stepMs, leastQuietPollMs) : series.stepMs;
  return Math.min(Math.max(wait, leastPollMs), mostPollMs);
}

function initial(view: View, at: number): FeedState {
  const { from, to } = spanOf(view, at);
  const ends = { from: from / 1000, to: to / 1000 };
  return { view, series: emptySeries(), events: [], ...ends, loading: true, error: undefined };
}

function mergeEvents(old: readonly Notice[], fresh: readonly Notice[], from: number): readonly Notice[] {
  const known = new Set(old.map((event) => event.id));
  const added = fresh.filter((event) => !known.has(event.id));
  const kept = old.filter((event) => Number(event.time) >= from);
  return added.length === 0 && kept.length === old.length ? old : [...kept, ...added];
}
