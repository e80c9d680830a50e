import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { NoticeSchema, QueryResponseSchema } from "../api/conch_pb";
import { columnNames } from "../lib/series";
import { createFeed, type FeedOptions } from "./feed";

const start = new Date(2026, 4, 20, 14, 0).getTime();

beforeEach(() => void vi.useFakeTimers({ now: start }));
afterEach(() => void vi.useRealTimers());

type Asked = { from: number; to: number; stepMs: number };

/** A service that measured since `began`, and notes what it was asked. */
function service({ stepMs = 1000, began = 0 } = {}) {
  const asked: Asked[] = [];
  const query = async (request: { from: bigint; to: bigint; stepMs: number }) => {
    const from = Number(request.from);
    const to = Number(request.to) || Date.now();
    asked.push({ from, to, stepMs: request.stepMs });
    const time: number[] = [];
    for (let at = Math.floor(from / stepMs) * stepMs; at <= to; at += stepMs) time.push(at / 1000);
    const values = time.map((at) => (at * 1000 < began ? Number.NaN : at));
    const columns = Object.fromEntries(columnNames.map((name) => [name, values]));
    const events = [create(NoticeSchema, { id: 7n, time: BigInt(start), text: "add_sub reloaded" })];
    return create(QueryResponseSchema, { stepMs, time, ...columns, events });
  };
  return { asked, query: query as unknown as NonNullable<FeedOptions["query"]> };
}

it("asks for the whole range once, then for the newest points only", async () => {
  const { asked, query } = service();
  const feed = createFeed({ model: "", view: { range: "5m" }, query });
  feed.start();
  await vi.advanceTimersByTimeAsync(3100);
  feed.stop();
  expect(asked).toHaveLength(4);
  expect(asked[0]).toMatchObject({ from: start - 300_000, stepMs: 0 });
  for (const { from, to, stepMs } of asked.slice(1)) {
    expect(to - from).toBeLessThan(3000);
    expect(stepMs).toBe(1000);
  }
  const { series, loading, events, to } = feed.getState();
  expect(loading).toBe(false);
  expect(series.time.at(-1)).toBe((start + 3000) / 1000);
  expect(to).toBe((start + 3000) / 1000);
  expect(series.time.length).toBeLessThanOrEqual(303);
  expect(new Set(series.time).size).toBe(series.time.length);
  expect(events).toHaveLength(1);
});

it("asks for long ranges seldom, and for their newest points only", async () => {
  const { asked, query } = service({ stepMs: 300_000 });
  const feed = createFeed({ model: "", view: { range: "24h" }, query });
  feed.start();
  await vi.advanceTimersByTimeAsync(61_000);
  feed.stop();
  expect(asked.map(({ from, to }) => to - from)).toEqual([86_400_000, 30_000, 60_000]);
});

it("has the whole range as its axis, also where nothing was measured", async () => {
  for (const range of ["5m", "15m", "1h", "24h", "30d"] as const) {
    const { query } = service({ stepMs: 10_000, began: start - 60_000 });
    const feed = createFeed({ model: "", view: { range }, query });
    feed.start();
    await vi.advanceTimersByTimeAsync(10);
    feed.stop();
    const { from, to } = feed.getState();
    const length = { "5m": 300, "15m": 900, "1h": 3600, "24h": 86_400, "30d": 2_592_000 }[range];
    expect(to - from).toBeCloseTo(length, 0);
  }
});

it("has what happened in the last, unfinished step on its axis", async () => {
  for (const range of ["5m", "24h", "yesterday", "30d"] as const) {
    const { query } = service({ stepMs: 7_200_000 });
    const feed = createFeed({ model: "", view: { range }, query });
    vi.setSystemTime(start + 1_234_567);
    feed.start();
    await vi.advanceTimersByTimeAsync(10);
    feed.stop();
    const { from, to } = feed.getState();
    expect(to).toBeGreaterThanOrEqual((start + 1_234_567) / 1000);
    expect(to - Date.now() / 1000).toBeLessThan(7200);
    expect(from).toBeLessThan(to);
  }
});

it("asks for what was zoomed into once, when it is past", async () => {
  const { asked, query } = service();
  const feed = createFeed({ model: "", view: { range: "1h" }, query });
  feed.start();
  await vi.advanceTimersByTimeAsync(10);
  const zoom = { from: start - 600_000, to: start - 500_000 };
  feed.setView({ range: "1h", zoom });
  await vi.advanceTimersByTimeAsync(60_000);
  feed.stop();
  expect(asked.slice(1)).toEqual([{ ...zoom, stepMs: 0 }]);
  expect(feed.getState()).toMatchObject({ from: zoom.from / 1000, to: zoom.to / 1000, loading: false });
});

it("asks nothing while it is stopped, and then for what it missed", async () => {
  const { asked, query } = service();
  const feed = createFeed({ model: "", view: { range: "5m" }, query });
  feed.start();
  await vi.advanceTimersByTimeAsync(100);
  feed.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(1);
  feed.start();
  await vi.advanceTimersByTimeAsync(100);
  feed.stop();
  expect(asked[1]?.from).toBe(start);
  expect(feed.getState().series.time.at(-1)).toBe((start + 60_000) / 1000);
});

it("keeps what it knows while the service does not answer, and goes on", async () => {
  const { query } = service();
  let down = false;
  const flaky = ((request: Parameters<typeof query>[0]) =>
    down ? Promise.reject(new Error("gone")) : query(request)) as typeof query;
  const feed = createFeed({ model: "", view: { range: "5m" }, query: flaky });
  feed.start();
  await vi.advanceTimersByTimeAsync(100);
  const known = feed.getState().series.time.length;
  down = true;
  await vi.advanceTimersByTimeAsync(1000);
  expect(feed.getState().error).toEqual(new Error("gone"));
  expect(feed.getState().series.time.length).toBe(known);
  down = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect(feed.getState().error).toBeUndefined();
  feed.stop();
});

it("drops answers to a view that is no longer shown", async () => {
  const late: (() => void)[] = [];
  const { query } = service();
  const slow = ((request: Parameters<typeof query>[0]) =>
    new Promise((resolve) => late.push(() => resolve(query(request))))) as typeof query;
  const feed = createFeed({ model: "", view: { range: "1h" }, query: slow });
  feed.start();
  feed.setView({ range: "5m" });
  late[0]?.();
  await vi.advanceTimersByTimeAsync(10);
  expect(feed.getState().loading).toBe(true);
  late[1]?.();
  await vi.advanceTimersByTimeAsync(10);
  expect(feed.getState()).toMatchObject({ loading: false, view: { range: "5m" } });
  feed.stop();
});
