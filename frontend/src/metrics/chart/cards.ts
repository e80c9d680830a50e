/** The charts that several screens show. */
import { bytes as bytesText, count, rate, milliseconds as timeText } from "../../lib/format";
import { partWords } from "../../lib/requestTime";
import { heldOnGpus } from "../../workspace/gpuText";
import type { CardLine, CardSpec, Facts, Figure } from "./cardSpec";
import { memory, milliseconds, percent, perSecond } from "./units";

const rateText = (value: number) => `${rate(value)} req/s`;
const percentText = (value: number) => `${rate(value)} %`;

/** Times of the whole range, one for each line. Each has its own unit: one slow request says nothing of the others. */
const ofRange = (facts: Facts, lines: readonly [label: string, color: string, ms: number][]): Figure[] =>
  lines.map(([label, color, ms]) => ({ label, color, text: facts.summary ? timeText(ms) : "–" }));

export const requestsCard: CardSpec = {
  title: "Requests per second",
  means: "Requests that were answered or failed. The band goes from the slowest to the busiest second.",
  left: perSecond,
  lines: [
    {
      label: "requests",
      column: "requestsPerSecond",
      band: ["rateHigh", "rateLow"],
      color: "--accent",
      text: rateText,
    },
    { label: "failed", column: "failuresPerSecond", color: "--err", onlyWhenPositive: true, text: rate },
  ],
  figures: ({ summary, perSecond, refused }) => {
    const failures = Number(summary?.failures ?? 0);
    const mean = summary?.requestsPerSecond ?? Number.NaN;
    return [
      { label: "now", color: "--accent", text: rateText(perSecond), isNow: true },
      { label: "mean", text: Number.isFinite(mean) ? rate(mean) : "–" },
      ...(failures > 0
        ? [{ label: "", color: "--err", text: count(failures, "failure"), leads: "failed" as const }]
        : []),
      ...(refused ? [{ label: "", color: "--warn", text: refused, leads: "refused" as const }] : []),
    ];
  },
  empty: "Nothing was measured",
};

const latencyLine = (label: string, column: "p50Ms" | "p95Ms" | "p99Ms", color: string): CardLine => ({
  label,
  column,
  color,
  text: timeText,
  ...(label === "p99" && { band: ["slowestMs", "p99Ms"] as const }),
});

export const latencyCard: CardSpec = {
  title: "Latency in the engine",
  means:
    "The time from a request's last byte to its answer, in the engine. 95 % of the requests were answered within p95. The band goes up to the slowest request.",
  left: milliseconds,
  lines: [
    latencyLine("p50", "p50Ms", "--p50"),
    latencyLine("p95", "p95Ms", "--p95"),
    latencyLine("p99", "p99Ms", "--p99"),
  ],
  figures: (facts) =>
    ofRange(facts, [
      ["p50", "--p50", facts.summary?.p50Ms ?? 0],
      ["p95", "--p95", facts.summary?.p95Ms ?? 0],
      ["p99", "--p99", facts.summary?.p99Ms ?? 0],
    ]),
  clips: true,
  empty: "No requests",
};

/** The whole first: the last line lies at the bottom of the stack. */
export const stagesCard: CardSpec = {
  title: "Time by stage",
  means: "The mean time that a request spent in each stage.",
  left: milliseconds,
  stacked: true,
  lines: [
    { label: partWords.output, column: "outputMs", color: "--output", fill: "solid", text: timeText },
    { label: partWords.infer, column: "inferMs", color: "--infer", fill: "solid", text: timeText },
    { label: partWords.input, column: "inputMs", color: "--input", fill: "solid", text: timeText },
    { label: partWords.queue, column: "queueMs", color: "--queue", fill: "solid", text: timeText },
  ],
  figures: (facts) =>
    ofRange(facts, [
      [partWords.queue, "--queue", facts.summary?.queueMs ?? 0],
      [partWords.input, "--input", facts.summary?.inputMs ?? 0],
      [partWords.infer, "--infer", facts.summary?.inferMs ?? 0],
      [partWords.output, "--output", facts.summary?.outputMs ?? 0],
    ]),
  clips: true,
  empty: "No requests",
};

export const machineCard: CardSpec = {
  title: "CPU and memory",
  means:
    "Of the engine's process. 100 % is one core; memory is what it holds without shared pages. The band goes from the lowest to the highest second.",
  left: percent,
  right: memory,
  lines: [
    { label: "CPU", column: "cpuPercent", band: ["cpuHigh", "cpuLow"], color: "--accent", text: percentText },
    {
      label: "memory",
      column: "memoryBytes",
      band: ["memoryHigh", "memoryLow"],
      color: "--output",
      right: true,
      text: bytesText,
    },
  ],
  figures: ({ cpuPercent, memoryBytes }) => [
    { label: "CPU", color: "--accent", text: memoryBytes > 0 ? percentText(cpuPercent) : "–" },
    { label: "memory", color: "--output", text: memoryBytes > 0 ? bytesText(memoryBytes) : "–" },
  ],
  isNow: true,
  least: 2.8, // of an idle engine a thousandth would look like a mountain
  empty: "Nothing was measured",
};

/** The same on the page of a model: what is the engine's says so, and the model's own is told with it. */
export const machineCardOfModel = (remote: boolean): CardSpec => ({
  ...machineCard,
  title: remote ? "CPU and memory of the machine" : "CPU and memory of the engine",
  means: remote
    ? "Of the server's whole machine, with all its models and programs. What this model holds is not known."
    : `${machineCard.means} It is of all models together. "This model" is what its backend measures of this one, with its processes.`,
  figures: (facts) => [
    ...machineCard.figures(facts),
    ...(facts.own ?? [])
      .filter(({ device }) => device === "CPU")
      .map(({ bytes }) => ({ label: "this model", text: bytesText(bytes) })),
    ...heldOnGpus(facts.own ?? []).map(({ device, bytes }) => ({
      label: `on ${device}`,
      text: bytesText(bytes),
    })),
  ],
});
