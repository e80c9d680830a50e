import type { ConnectRouter } from "@connectrpc/connect";
import { MetricsService } from "../../src/api/conch_pb";
import type { World } from "./world";

/** The same noise for the same second, so that appended points agree with those fetched before. */
const noise = (t: number, seed: number) => {
  const x = Math.sin(t * 12.9898 + seed * 78.233) * 43758.5453;
  return x - Math.floor(x);
};

export function registerMetrics(router: ConnectRouter, world: World): void {
  router.service(MetricsService, {
    query: ({ from, to, maxPoints }) => {
      const end = Number(to === 0n ? BigInt(Date.now()) : to);
      const span = end - Number(from);
      const step = [1000, 10_000, 300_000].find((ms) => span / ms <= (maxPoints || 600)) ?? 300_000;
      const first = Math.ceil(Number(from) / step) * step;
      const time: number[] = [];
      for (let t = first; t <= end; t += step) time.push(t / 1000);
      const series = (base: number, amplitude: number, seed: number) =>
        time.map((t) =>
          Math.max(0, base + amplitude * Math.sin(t / 60 + seed) + (noise(t, seed) - 0.5) * amplitude),
        );
      return {
        stepMs: step,
        time,
        requestsPerSecond: series(41, 12, 1),
        failuresPerSecond: time.map(() => 0),
        p50Ms: series(0.42, 0.05, 2),
        p95Ms: series(0.96, 0.2, 3),
        p99Ms: series(1.7, 0.5, 4),
        queueMs: series(0.04, 0.01, 5),
        inputMs: series(0.03, 0.01, 6),
        inferMs: series(0.31, 0.05, 7),
        outputMs: series(0.05, 0.01, 8),
        cpuPercent: series(34, 9, 9),
        memoryBytes: series(63e6, 1e6, 10),
        events: world.notices.filter((notice) => notice.time >= from),
      };
    },
  });
}
