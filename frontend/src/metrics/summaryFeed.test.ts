import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SummarizeResponseSchema } from "../api/conch_pb";
import { createSummaryFeed, type SummaryOptions } from "./summaryFeed";

beforeEach(() => void vi.useFakeTimers({ now: new Date(2026, 4, 20, 14, 0) }));
afterEach(() => void vi.useRealTimers());

/** A service in which every model had as many requests as the question has minutes. */
function service() {
  const asked: string[][] = [];
  const summarize = async ({ models, from }: { models: string[]; from: bigint }) => {
    asked.push(models);
    const requests = BigInt(Math.round((Date.now() - Number(from)) / 60_000));
    const names = models.length > 0 ? models : ["busy"];
    return create(SummarizeResponseSchema, { summaries: names.map((model) => ({ model, requests })) });
  };
  return { asked, summarize: summarize as unknown as NonNullable<SummaryOptions["summarize"]> };
}

const thousands = Array.from({ length: 3000 }, (_, i) => `model_${i}`);

it("asks once for all rows in view, and for no other", async () => {
  const { asked, summarize } = service();
  const feed = createSummaryFeed({ view: { range: "15m" }, points: 60, summarize });
  feed.want(thousands.slice(0, 20));
  feed.start();
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toEqual([thousands.slice(0, 20)]);
  feed.stop();
});

it("asks nothing while rows scroll by", async () => {
  const { asked, summarize } = service();
  const feed = createSummaryFeed({ view: { range: "15m" }, points: 60, summarize });
  feed.start();
  for (let top = 0; top < 2000; top += 20) {
    feed.want(thousands.slice(top, top + 20));
    await vi.advanceTimersByTimeAsync(16);
  }
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toEqual([thousands.slice(1980, 2000)]);
  feed.want(thousands.slice(1985, 1995)); // all of them are known
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toHaveLength(1);
  feed.stop();
});

it("asks again every few seconds, for long ranges seldom, and not after it was stopped", async () => {
  for (const [range, times] of [
    ["15m", 13],
    ["24h", 3],
  ] as const) {
    const { asked, summarize } = service();
    const feed = createSummaryFeed({ view: { range }, points: 0, summarize });
    feed.want(["m"]);
    feed.start();
    await vi.advanceTimersByTimeAsync(25_000);
    expect(asked).toHaveLength(times);
    feed.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(times);
  }
});

it("tells nobody while nothing changes", async () => {
  const { asked, summarize } = service();
  const feed = createSummaryFeed({ view: { range: "15m" }, points: 0, summarize });
  let told = 0;
  feed.subscribe(() => told++);
  feed.want(["m"]);
  feed.start();
  await vi.advanceTimersByTimeAsync(25_000);
  feed.stop();
  expect(asked.length).toBeGreaterThan(5);
  expect(told).toBe(1);
});

it("shows nothing of the range before beside figures of the new one", async () => {
  const { summarize } = service();
  const feed = createSummaryFeed({ view: { range: "15m" }, points: 0, summarize });
  feed.want(["a", "b"]);
  feed.start();
  await vi.advanceTimersByTimeAsync(10);
  expect(feed.getState().summaries.get("b")?.requests).toBe(15n);
  feed.want(["a"]);
  feed.setView({ range: "1h" });
  await vi.advanceTimersByTimeAsync(10);
  expect(feed.getState().summaries.get("a")?.requests).toBe(60n);
  expect(feed.getState().summaries.has("b")).toBe(false);
  feed.want("all");
  await vi.advanceTimersByTimeAsync(500);
  expect([...feed.getState().summaries.keys()]).toEqual(["busy"]);
  feed.stop();
});
