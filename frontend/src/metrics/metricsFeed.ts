/** Metrics of one model, or of the repository, over a range: asked for once, then kept up to date. */
import { useEffect, useSyncExternalStore } from "react";
import { clients } from "../api/client";
import type { Notice } from "../api/conch_pb";
import { type RangeId, rangeStart } from "../lib/range";
import { append, emptySeries, firstMeasured, type Series, toSeries } from "../lib/series";

export type FeedState = {
  readonly range: RangeId;
  readonly series: Series;
  readonly events: readonly Notice[];
  readonly from: number; // Unix seconds: what the charts show
  readonly to: number;
  readonly loading: boolean; // nothing has arrived for this range yet
  readonly error: unknown; // undefined when the newest question was answered
};

type Query = typeof clients.metrics.query;

export type FeedOptions = {
  readonly model: string;
  readonly range: RangeId;
  readonly query?: Query;
  readonly now?: () => number;
};

export type Feed = {
  getState(): FeedState;
  subscribe(listener: () => void): () => void;
  start(): void;
  setRange(range: RangeId): void;
  destroy(): void;
};

const liveStepMs = 2000; // up to here a poll needs="app" for the newest points only
const maxPoints = 320; // five minutes are told by the second; more points than this make a line a smear
const pollMs = 1000;
const briskStepMs = 30_000; // up to here the newest point, which is still filling, is asked for often
const briskPollMs = 2000;
const slowPollMs = 30_000;

/** A behaviour machine: `start` begins to ask, `destroy` ends it. Answers to an older range are dropped. */
export function createFeed({
  model,
  range,
  query = clients.metrics.query,
  now = Date.now,
}: FeedOptions): Feed {
  const listeners = new Set<() => void>();
  let state = initial(range, now());
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = new AbortController();

  const publish = (next: Partial<FeedState>) => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };

  const ask = async (live: boolean) => {
    const { signal } = abort;
    const at = now();
    const start = rangeStart(state.range, at);
    const last = state.series.time[state.series.time.length - 1];
    const since = live && last !== undefined ? Math.max(start, (last - 1) * 1000) : start; // the newest second may have been half full
    const answerSince = (from: number) =>
      query({ model, from: BigInt(Math.floor(from)), to: 0n, maxPoints }, { signal });
    try {
      let answer = await answerSince(since);
      const events = mergeEvents(live ? state.events : [], answer.events, start);
      const young = live ? undefined : youngSince(toSeries(answer), start, at);
      if (young !== undefined && !signal.aborted) answer = await answerSince(young);
      if (signal.aborted) return;
      const series = live ? append(state.series, answer, start / 1000) : toSeries(answer);
      const from = shownFrom(series, start, at);
      publish({ series, events, from, to: at / 1000, loading: false, error: undefined });
    } catch (error) {
      const from = shownFrom(state.series, start, at);
      if (!signal.aborted) publish({ error, loading: false, from, to: at / 1000 });
    }
    if (!signal.aborted) schedule();
  };

  const schedule = () => {
    const step = state.series.stepMs;
    const { length } = state.series.time;
    const live = step > 0 && step <= liveStepMs && length > 0 && length <= maxPoints * 2;
    timer = setTimeout(() => void ask(live), waitFor(step, live));
  };

  const stop = () => {
    clearTimeout(timer);
    abort.abort();
    abort = new AbortController();
  };

  return {
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () => void ask(false),
    setRange: (next) => {
      stop();
      publish({ range: next, loading: true, error: undefined });
      void ask(false);
    },
    destroy: stop,
  };
}

const leastSpanMs = 120_000;

/** When measuring began, if that is so late in the range that finer points would fit; in Unix milliseconds. */
function youngSince(series: Series, start: number, at: number): number | undefined {
  const first = firstMeasured(series);
  if (first === undefined || first * 1000 < start + (at - start) / 4) return undefined;
  return Math.min(first * 1000 - series.stepMs, at - leastSpanMs);
}

/** Where the charts begin: with the range, or with the first measurement when that is later. In Unix seconds. */
function shownFrom(series: Series, start: number, at: number): number {
  const first = firstMeasured(series) ?? 0;
  return Math.max(start / 1000, Math.min(first, (at - leastSpanMs) / 1000));
}

function waitFor(stepMs: number, live: boolean): number {
  if (live || stepMs === 0) return pollMs;
  return stepMs <= briskStepMs ? briskPollMs : slowPollMs;
}

function initial(range: RangeId, at: number): FeedState {
  const from = rangeStart(range, at) / 1000;
  return { range, series: emptySeries(), events: [], from, to: at / 1000, loading: true, error: undefined };
}

function mergeEvents(old: readonly Notice[], fresh: readonly Notice[], from: number): readonly Notice[] {
  const known = new Set(old.map((event) => event.id));
  const added = fresh.filter((event) => !known.has(event.id));
  const kept = old.filter((event) => Number(event.time) >= from);
  return added.length === 0 && kept.length === old.length ? old : [...kept, ...added];
}

/** Feeds that are on screen, so that two views of one model share its polling. */
const feeds = new Map<string, { feed: Feed; users: number }>();

function acquire(model: string, range: RangeId): Feed {
  const known = feeds.get(model);
  if (known) return known.feed;
  const feed = createFeed({ model, range });
  feeds.set(model, { feed, users: 0 });
  return feed;
}

/** Mounts the feed of a model ("" for the repository) while the component is on screen. */
export function useMetricsFeed(model: string, range: RangeId): FeedState {
  const feed = acquire(model, range);
  useEffect(() => retain(model, feed), [model, feed]);
  useEffect(() => {
    if (feed.getState().range !== range) feed.setRange(range);
  }, [feed, range]);
  return useSyncExternalStore(feed.subscribe, feed.getState);
}

function retain(model: string, feed: Feed): () => void {
  const entry = feeds.get(model) ?? { feed, users: 0 };
  feeds.set(model, entry);
  if (entry.users++ === 0) feed.start();
  return () => {
    if (--entry.users > 0) return;
    feed.destroy();
    feeds.delete(model);
  };
}
