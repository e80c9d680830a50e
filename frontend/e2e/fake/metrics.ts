import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import {
  MetricsService,
  type Notice,
  Notice_Level,
  NoticeSchema,
  type QueryResponseSchema,
} from "../../src/api/conch_pb";
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

function answer(times: number[], stepMs: number): Answer {
  const series = (base: number, amplitude: number, seed: number) =>
    times.map((at) => {
      if (at < began || outage(at)) return Number.NaN;
      const t = at / 1000;
      const wave = Math.sin(t / 60 + seed) + Math.sin(t / 5000 + seed);
      return Math.max(0, base + (amplitude * wave) / 2 + (noise(t, seed) - 0.5) * amplitude);
    });
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
  };
}

export function registerMetrics(router: ConnectRouter, world: World): void {
  router.service(MetricsService, {
    query: ({ model, from, to, maxPoints, stepMs }) => {
      const end = Number(to) || Date.now();
      const span = end - Number(from);
      const step = stepMs || (steps.find((ms) => span / ms <= (maxPoints || 600)) ?? 21_600_000);
      const times: number[] = [];
      for (let at = Math.floor(Number(from) / step) * step; at <= end; at += step) times.push(at);
      const notices = [...reloads, ...world.notices];
      const events = notices.filter((notice) => notice.time >= from && Number(notice.time) <= end);
      return { ...answer(times, step), events: events.filter((e) => model === "" || e.model === model) };
    },
  });
}
