import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import {
  type MetricSummarySchema,
  MetricsService,
  type Notice,
  Notice_Level,
  NoticeSchema,
  type QueryResponseSchema,
} from "../../src/api/conch_pb";
import { gpuSeries } from "./gpus";
import type { World } from "./world";

/** The same noise for the same second, so that appended points agree with those fetched before. */
const noise = (t: number, seed: number) => {
  const x = Math.sin(t * 12.9898 + seed * 78.233) * 43758.5453;
  return x - Math.floor(x);
};

const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600].map(
  (s) => s * 1000,
);
const began = Date.now() - 9.3 * 3_600_000; // before it nothing was measured
const outages = [1.2, 33, 200].map((minutes) => Date.now() - minutes * 60_000);
const outage = (at: number) => outages.some((from, i) => at >= from && at < from + (20 + i * 200) * 1000);

/** A morning of many reloads, so that marks have to share their place. */
const reloads: Notice[] = Array.from({ length: 24 }, (_, i) =>
  create(NoticeSchema, {
    id: BigInt(100 + i),
    time: BigInt(Date.now() - 5 * 3_600_000 + i * 47_000),
    level: i % 9 === 4 ? Notice_Level.ERROR : Notice_Level.INFO,
    model: "digits",
    text: i % 9 === 4 ? "digits did not load: dims [63], model has [64]" : "digits reloaded in 41 ms",
  }),
);

type Answer = MessageInitShape<typeof QueryResponseSchema>;

function seriesAt(times: number[]) {
  return (base: number, amplitude: number, seed: number) =>
    times.map((at) => {
      if (at < began || outage(at)) return Number.NaN;
      const t = at / 1000;
      const wave = Math.sin(t / 60 + seed) + Math.sin(t / 5000 + seed);
      return Math.max(0, base + (amplitude * wave) / 2 + (noise(t, seed) - 0.5) * amplitude);
    });
}

function answer(times: number[], stepMs: number): Answer {
  const series = seriesAt(times);
  return {
    stepMs,
    time: times.map((at) => at / 1000),
    requestsPerSecond: series(41, 12, 1),
    failuresPerSecond: series(-0.4, 0.9, 14),
    p50Ms: series(0.42, 0.05, 2),
    p95Ms: series(0.96, 0.2, 3),
    p99Ms: series(1.7, 0.5, 4),
    queueMs: series(0.04, 0.01, 5),
    inputMs: series(0.03, 0.01, 6),
    inferMs: series(0.31, 0.05, 7),
    outputMs: series(0.05, 0.01, 8),
    cpuPercent: series(34, 9, 9),
    memoryBytes: series(63e6, 1e6, 10),
    rateLow: series(41 - 9, 12, 1),
    rateHigh: series(41 + (stepMs > 1000 ? 16 : 0), 12, 1),
    cpuLow: series(34 - 6, 9, 9),
    cpuHigh: series(34 + (stepMs > 1000 ? 14 : 0), 9, 9),
    memoryLow: series(63e6, 1e6, 10),
    memoryHigh: series(64e6, 1e6, 10),
    slowestMs: series(2.6, 0.9, 4),
  };
}

/** Figures of a range that differ from model to model. */
function summary(
  model: string,
  span: number,
  end: number,
  points: number,
): MessageInitShape<typeof MetricSummarySchema> {
  const seed = [...model].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 17;
  const part = span / Math.max(points, 1);
  const times = Array.from({ length: points }, (_, i) => end - span + i * part);
  const { requestsPerSecond } = answer(times, part);
  const watched = Math.min(span, Date.now() - began) / 1000;
  return {
    model,
    requests: BigInt(Math.round(watched * (model === "" ? 41 : 3 + seed))),
    failures: seed === 4 ? 12n : 0n,
    requestsPerSecond: model === "" ? 41.2 : 3 + seed,
    p50Ms: 0.3 + seed / 40,
    p95Ms: 0.8 + seed / 20,
    p99Ms: 1.5 + seed / 10,
    queueMs: 0.04,
    inputMs: 0.03,
    inferMs: 0.31,
    outputMs: 0.05,
    rates: (requestsPerSecond as number[]).map((rate, i) => rate - 30 + 8 * noise(i, seed)),
  };
}

export function registerMetrics(router: ConnectRouter, world: World): void {
  const all: ServiceImpl<typeof MetricsService> = {
    summarize: ({ models, from, to, points }) => {
      const end = Number(to) || Date.now();
      const names = models.length > 0 ? models : [...world.models.keys()];
      return { summaries: names.map((model) => summary(model, end - Number(from), end, points)) };
    },
    query: ({ model, from, to, maxPoints, stepMs }) => {
      const end = Number(to) || Date.now();
      const span = end - Number(from);
      const step = stepMs || (steps.find((ms) => span / ms <= (maxPoints || 600)) ?? 21_600_000);
      const times: number[] = [];
      for (let at = Math.floor(Number(from) / step) * step; at <= end; at += step) times.push(at);
      const notices = [...reloads, ...world.notices];
      const events = notices.filter((notice) => notice.time >= from && Number(notice.time) <= end);
      return {
        ...answer(times, step),
        gpus: world.gpus.map((gpu) => gpuSeries(seriesAt(times), gpu)),
        events: events.filter((e) => model === "" || e.model === model),
      };
    },
  };
  router.service(MetricsService, all);
}
