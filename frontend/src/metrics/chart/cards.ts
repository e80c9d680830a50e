/** The charts that several screens show. */
import { bytes, rate } from "../../lib/format";
import { stageText } from "../../workspace/StageBar";
import type { CardSpec } from "./ChartCard";

const axisNumber = (value: number) => String(Number(value.toPrecision(3)));

export const requestsCard: CardSpec = {
  title: "Requests per second",
  lines: [
    {
      label: "requests",
      column: "requestsPerSecond",
      color: "--accent",
      fill: "weak",
      hideLabel: true,
      text: (value) => `${rate(value)} req/s`,
    },
    { label: "failed", column: "failuresPerSecond", color: "--err", onlyWhenPositive: true, text: rate },
  ],
  axis: axisNumber,
  empty: "No requests",
};

export const latencyCard: CardSpec = {
  title: "Latency",
  lines: [
    { label: "p50", column: "p50Ms", color: "--p50", text: stageText },
    { label: "p95", column: "p95Ms", color: "--p95", text: stageText },
    { label: "p99", column: "p99Ms", color: "--p99", text: (ms) => `${stageText(ms)} ms` },
  ],
  axis: axisNumber,
  clips: true,
  empty: "No requests",
};

/** The whole first: the last line lies at the bottom of the stack. */
export const stagesCard: CardSpec = {
  title: "Time by stage",
  stacked: true,
  lines: [
    {
      label: "output",
      column: "outputMs",
      color: "--output",
      fill: "solid",
      text: (ms) => `${stageText(ms)} ms`,
    },
    { label: "infer", column: "inferMs", color: "--infer", fill: "solid", text: stageText },
    { label: "input", column: "inputMs", color: "--input", fill: "solid", text: stageText },
    { label: "queue", column: "queueMs", color: "--queue", fill: "solid", text: stageText },
  ],
  axis: axisNumber,
  clips: true,
  empty: "No requests",
};

export const machineCard: CardSpec = {
  title: "CPU and memory",
  lines: [
    {
      label: "CPU",
      column: "cpuPercent",
      color: "--accent",
      hideLabel: true,
      text: (value) => `${rate(value)} %`,
    },
    {
      label: "memory",
      column: "memoryBytes",
      color: "--output",
      ownScale: true,
      hideLabel: true,
      text: bytes,
    },
  ],
  axis: (value) => `${axisNumber(value)} %`,
  least: 2.8, // of an idle engine a thousandth would look like a mountain
  empty: "Nothing was measured",
};
