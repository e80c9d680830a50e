import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { EngineSchema, NoticeSchema, QueryResponseSchema, SummarizeResponseSchema } from "../api/conch_pb";
import { columnNames } from "../lib/series";
import { useWorkspace } from "../workspace/workspace";
import { told } from "./activity";
import { createFeed, type FeedOptions } from "./feed";
import { createSummaryFeed, type SummaryOptions } from "./summaryFeed";

const rate = (requestsPerSecond: number) =>
  useWorkspace.setState({ engine: create(EngineSchema, { requestsPerSecond }) });

let hour = 0; // time goes on from test to test

beforeEach(() => {
  hour += 1;
  vi.useFakeTimers({ now: new Date(2026, 4, 20, hour, 0) });
  rate(0);
  vi.advanceTimersByTime(60_000);
});
afterEach(() => void vi.useRealTimers());

it("is quiet some seconds after the last request, and not before anything is known", () => {
  expect(told.isQuiet()).toBe(true);
  rate(2);
  expect(told.isQuiet()).toBe(false);
  rate(0);
  expect(told.isQuiet()).toBe(false);
  vi.advanceTimersByTime(5000);
  expect(told.isQuiet()).toBe(true);
  useWorkspace.setState({ engine: undefined });
  expect(told.isQuiet()).toBe(false);
});

it("ends with a request and with a notice, and tells so once", () => {
  const begin = vi.fn();
  const forget = told.onBegin(begin);
  rate(1);
  rate(2);
  expect(begin).toHaveBeenCalledTimes(1);
  rate(0);
  vi.advanceTimersByTime(10_000);
  useWorkspace.setState({ notices: [create(NoticeSchema, { id: 1n, text: "m was loaded" })] });
  expect(begin).toHaveBeenCalledTimes(2);
  forget();
});

/** Both feeds of a view, and how often each has asked. */
function feeds() {
  const stepMs = 5000;
  const columns = Object.fromEntries(columnNames.map((name) => [name, [1]]));
  const query = vi.fn(async () =>
    create(QueryResponseSchema, { stepMs, time: [Date.now() / 1000], ...columns }),
  );
  const summarize = vi.fn(async () => create(SummarizeResponseSchema, { summaries: [{ model: "" }] }));
  const view = { range: "15m" } as const;
  const charts = createFeed({
    model: "",
    view,
    query: query as unknown as NonNullable<FeedOptions["query"]>,
  });
  const heads = createSummaryFeed({
    view,
    points: 0,
    summarize: summarize as unknown as NonNullable<SummaryOptions["summarize"]>,
  });
  heads.want([""]);
  charts.start();
  heads.start();
  return { query, summarize, charts, heads };
}

it("lets feeds ask seldom, and at once when something happens", async () => {
  const { query, summarize, charts, heads } = feeds();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(query).toHaveBeenCalledTimes(4);
  expect(summarize).toHaveBeenCalledTimes(4);
  rate(3);
  await vi.advanceTimersByTimeAsync(100);
  expect(query).toHaveBeenCalledTimes(5);
  expect(summarize).toHaveBeenCalledTimes(5);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(query).toHaveBeenCalledTimes(7);
  expect(summarize).toHaveBeenCalledTimes(10);
  charts.stop();
  heads.stop();
  rate(0);
  await vi.advanceTimersByTimeAsync(60_000);
  rate(3);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(query).toHaveBeenCalledTimes(7);
  expect(summarize).toHaveBeenCalledTimes(10);
});

it("asks for the event of a notice in a moment, and once for several", async () => {
  rate(1);
  const { query, charts, heads } = feeds();
  await vi.advanceTimersByTimeAsync(6000);
  expect(query).toHaveBeenCalledTimes(2);
  const notices = [1n, 2n, 3n].map((id) => create(NoticeSchema, { id, text: "m was loaded" }));
  for (const end of [1, 2, 3]) useWorkspace.setState({ notices: notices.slice(0, end) });
  await vi.advanceTimersByTimeAsync(1000);
  expect(query).toHaveBeenCalledTimes(3);
  charts.stop();
  heads.stop();
});
