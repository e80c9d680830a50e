import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { NoticeSchema, QueryResponseSchema } from "../api/conch_pb";
import { columnNames } from "../lib/series";
import { createFeed, type FeedOptions } from "./metricsFeed";

const start = new Date(2026, 4, 20, 14, 0).getTime();

beforeEach(() => void vi.useFakeTimers({ now: start }));
afterEach(() => void vi.useRealTimers());

/** A service that measured every second, and notes what it was asked. */
function service(stepMs = 1000) {
  const asked: { from: number; to: number }[] = [];
  const query = async (request: { from?: bigint }) => {
    const from = Number(request.from);
    asked.push({ from, to: Date.now() });
    const time: number[] = [];
    for (let at = Math.ceil(from / stepMs) * stepMs; at <= Date.now(); at += stepMs) time.push(at / 1000);
    const columns = Object.fromEntries(columnNames.map((name) => [name, time]));
    const events = [create(NoticeSchema, { id: 7n, time: BigInt(start), text: "add_sub reloaded" })];
    return create(QueryResponseSchema, { stepMs, time, ...columns, events });
  };
  return { asked, query: query as unknown as NonNullable<FeedOptions["query"]> };
}

it("asks for the whole range once, then for the newest seconds only", async () => {
  const { asked, query } = service();
  const feed = createFeed({ model: "", range: "5m", query });
  feed.start();
  await vi.advanceTimersByTimeAsync(3100);
  feed.destroy();
  expect(asked).toHaveLength(4);
  expect(asked[0]?.from).toBe(start - 300_000);
  for (const { from, to } of asked.slice(1)) expect(to - from).toBeLessThan(3000);
  const { series, loading, events } = feed.getState();
  expect(loading).toBe(false);
  expect(series.time[series.time.length - 1]).toBe((start + 3000) / 1000);
  expect(series.time[0]).toBe((start + 3000 - 300_000) / 1000);
  expect(new Set(series.time).size).toBe(series.time.length);
  expect(events).toHaveLength(1);
});

it("asks for long ranges as a whole, and not every second", async () => {
  const { asked, query } = service(300_000);
  const feed = createFeed({ model: "", range: "24h", query });
  feed.start();
  await vi.advanceTimersByTimeAsync(31_000);
  feed.destroy();
  expect(asked.map(({ from, to }) => to - from)).toEqual([86_400_000, 86_400_000]);
});

it("asks for points of some seconds again while the newest one fills", async () => {
  const { asked, query } = service(10_000);
  const feed = createFeed({ model: "", range: "15m", query });
  feed.start();
  await vi.advanceTimersByTimeAsync(4100);
  feed.destroy();
  expect(asked.map(({ from, to }) => to - from)).toEqual([900_000, 900_000, 900_000]);
});

it("shows a young history from its beginning, in finer points", async () => {
  const begin = start - 60_000;
  const asked: number[] = [];
  const query = (async (request: { from?: bigint }) => {
    const from = Number(request.from);
    asked.push(from);
    const stepMs = Date.now() - from > 200_000 ? 10_000 : 1000;
    const time: number[] = [];
    for (let at = Math.ceil(from / stepMs) * stepMs; at <= Date.now(); at += stepMs) time.push(at / 1000);
    const values = time.map((at) => (at * 1000 < begin ? Number.NaN : 1));
    const columns = Object.fromEntries(columnNames.map((name) => [name, values]));
    return create(QueryResponseSchema, { stepMs, time, ...columns });
  }) as unknown as NonNullable<FeedOptions["query"]>;
  const feed = createFeed({ model: "", range: "15m", query });
  feed.start();
  await vi.advanceTimersByTimeAsync(10);
  feed.destroy();
  expect(asked).toEqual([start - 900_000, start - 120_000]);
  expect(feed.getState().series.stepMs).toBe(1000);
  expect(feed.getState().from).toBe((start - 120_000) / 1000);
});

it("keeps what it knows while the service does not answer, and goes on", async () => {
  const { query } = service();
  let down = false;
  const flaky = ((request: Parameters<typeof query>[0]) =>
    down ? Promise.reject(new Error("gone")) : query(request)) as typeof query;
  const feed = createFeed({ model: "", range: "5m", query: flaky });
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
  feed.destroy();
});

it("drops answers to a range that is no longer shown", async () => {
  const late: (() => void)[] = [];
  const { query } = service();
  const slow = ((request: Parameters<typeof query>[0]) =>
    new Promise((resolve) => late.push(() => resolve(query(request))))) as typeof query;
  const feed = createFeed({ model: "", range: "1h", query: slow });
  feed.start();
  feed.setRange("5m");
  late[0]?.();
  await vi.advanceTimersByTimeAsync(10);
  expect(feed.getState().loading).toBe(true);
  late[1]?.();
  await vi.advanceTimersByTimeAsync(10);
  expect(feed.getState()).toMatchObject({ loading: false, range: "5m" });
  feed.destroy();
});
