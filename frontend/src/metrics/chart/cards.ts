/** The charts that several screens show. */
import { bytes as bytesText, rate } from "../../lib/format";
import { stageText } from "../../workspace/StageBar";
import type { CardSpec } from "./cardSpec";
import { bytes, milliseconds, percent, perSecond } from "./units";

const msText = (ms: number) => `${stageText(ms)} ms`;

export const requestsCard: CardSpec = {
  title: "Requests per second",
  means: "Requests that were answered or failed, for each second.",
  left: perSecond,
  lines: [
    {
      label: "requests",
      column: "requestsPerSecond",
      color: "--accent",
      text: (value) => `${rate(value)} req/s`,
    },
    { label: "failed", column: "failuresPerSecond", color: "--err", onlyWhenPositive: true, text: rate },
  ],
  empty: "No requests",
};

export const latencyCard: CardSpec = {
  title: "Latency",
  means:
    "The time from a request's last byte to its answer, in the engine. p95 is the time within which 95 % of the requests were answered.",
  left: milliseconds,
  lines: [
    { label: "p50", column: "p50Ms", color: "--p50", text: stageText },
    { label: "p95", column: "p95Ms", color: "--p95", text: stageText },
    { label: "p99", column: "p99Ms", color: "--p99", text: msText },
  ],
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
    { label: "output", column: "outputMs", color: "--output", fill: "solid", text: msText },
    { label: "infer", column: "inferMs", color: "--infer", fill: "solid", text: stageText },
    { label: "input", column: "inputMs", color: "--input", fill: "solid", text: stageText },
    { label: "queue", column: "queueMs", color: "--queue", fill: "solid", text: stageText },
  ],
  clips: true,
  empty: "No requests",
};

export const machineCard: CardSpec = {
  title: "CPU and memory",
  means: "Of the engine's process. 100 % is one core; memory is what it holds without shared pages.",
  left: percent,
  right: bytes,
  lines: [
    { label: "CPU", column: "cpuPercent", color: "--accent", text: (value) => `${rate(value)} %` },
    { label: "memory", column: "memoryBytes", color: "--output", right: true, text: bytesText },
  ],
  least: 2.8, // of an idle engine a thousandth would look like a mountain
  empty: "Nothing was measured",
};
