/** The charts of GPUs: a line for each. They are hidden where none was watched. */
import type { Gpu } from "../../api/conch_pb";
import { bytes as bytesText, rate } from "../../lib/format";
import { type GpuColumnName, type GpuName, newest, type Series } from "../../lib/series";
import { heldOnGpus } from "../../workspace/gpuText";
import type { CardLine, CardSpec, Facts, Figure } from "./cardSpec";
import { celsius, joules, memory, percent, watts } from "./units";

const colors = ["--accent", "--p95", "--output", "--ok", "--input", "--p99", "--queue", "--text-2"];

const percentText = (value: number) => `${rate(value)} %`;
const wattText = (value: number) => `${rate(value)} W`;
/** A joule is a watt for a second; 3.6 MJ are a kWh. */
const energyText = (value: number) => {
  if (value >= 1e6) return `${rate(value / 1e6)} MJ`;
  return value >= 1000 ? `${rate(value / 1000)} kJ` : `${rate(value)} J`;
};
const heatText = (value: number) => `${Math.round(value)} °C`;

export const gpuColor = (place: number): string => colors[place % colors.length] as string;

export const gpuLabel = ({ index }: { readonly index: number }): string => `GPU ${index}`;

type Columns = readonly [mean: GpuColumnName, highest: GpuColumnName, lowest: GpuColumnName];

/** A line for each GPU. Only a single one has a band: those of several would hide each other. */
const linesOf = (
  gpus: readonly GpuName[],
  [mean, highest, lowest]: Columns,
  text: (value: number) => string,
): CardLine[] =>
  gpus.map((gpu, place) => {
    const at = (column: GpuColumnName) => ({ gpu: gpu.uuid, column });
    return {
      label: gpuLabel(gpu),
      column: at(mean),
      color: gpuColor(place),
      text,
      ...(gpus.length === 1 && { band: [at(highest), at(lowest)] as const }),
    };
  });

/** The lines, and a dashed one over each for what it is a part of. */
function withWhole(gpus: readonly GpuName[], lines: readonly CardLine[], column: GpuColumnName): CardLine[] {
  const whole = gpus.map(({ uuid }) => ({ gpu: uuid, column }));
  const dashed = lines.map(({ color, text }, place): CardLine => {
    return { label: "", column: whole[place] as CardLine["column"], color, text, dashed: true, unread: true };
  });
  return [...lines.map((line, place): CardLine => ({ ...line, whole: whole[place] })), ...dashed];
}

/** What is told where there is no figure. Of a driver that tells of no GPU it is not known which are there. */
function absence({ index, uuid }: GpuName, { gpus, gpusLost = [] }: Facts): string {
  if (gpus.some((one) => one.uuid === uuid)) return "–";
  if (gpusLost.includes(index)) return lost;
  return gpus.length === 0 ? "–" : "gone";
}

const lost = "lost";

/** What each GPU does now; a driver that does not tell says -1. */
const now =
  (gpus: readonly GpuName[], value: (gpu: Gpu) => number, text: (gpu: Gpu) => string): CardSpec["figures"] =>
  (facts) =>
    gpus.map((gpu, place): Figure => {
      const known = facts.gpus.find(({ uuid }) => uuid === gpu.uuid);
      const of = known ? value(known) : -1;
      const told = known && of >= 0 ? text(known) : absence(gpu, facts);
      return { label: gpuLabel(gpu), color: gpuColor(place), text: told, value: of, always: told === lost };
    });

const usedText = ({ usedBytes, totalBytes }: Gpu) =>
  totalBytes > 0 ? `${bytesText(usedBytes)} of ${bytesText(totalBytes)}` : bytesText(usedBytes);

/** What the model of the page holds of GPUs. */
const ownOf = ({ own = [] }: Facts): Figure[] =>
  heldOnGpus(own).map(({ device, bytes }) => ({
    label: `this model on ${device}`,
    text: bytesText(bytes),
    always: true,
  }));

const drawnText = ({ powerWatts, maxPowerWatts }: Gpu) =>
  maxPowerWatts > 0 ? `${wattText(powerWatts)} of ${wattText(maxPowerWatts)}` : wattText(powerWatts);

const means = (gpus: readonly GpuName[], text: string) =>
  `${text} ${gpus.map((gpu) => `${gpuLabel(gpu)} is ${gpu.name}.`).join(" ")}`;

const heatCard = (gpus: readonly GpuName[]): CardSpec => ({
  title: "GPU temperature",
  means: means(gpus, "How hot a GPU is. A hot one slows itself down."),
  left: celsius,
  least: 90,
  lines: linesOf(gpus, ["temperature", "temperatureHigh", "temperatureLow"], heatText),
  figures: now(
    gpus,
    ({ temperature }) => temperature,
    ({ temperature }) => heatText(temperature),
  ),
  isNow: true,
  empty: "Nothing was measured",
});

const energyCard = (gpus: readonly GpuName[]): CardSpec => ({
  title: "GPU energy",
  means: means(
    gpus,
    "What a GPU used since the left end of the chart, by its own count, for whatever program.",
  ),
  left: joules,
  lines: gpus.map((gpu, place) => ({
    label: gpuLabel(gpu),
    column: { gpu: gpu.uuid, column: "energyJoules" },
    color: gpuColor(place),
    text: energyText,
  })),
  adds: true,
  figures: () => [],
  empty: "Nothing was measured",
});

/** What not every driver or server tells of its GPUs: a Triton elsewhere has no figure for the temperature. */
export interface Told {
  readonly heat: boolean;
  readonly energy: boolean;
}

/** What one of the GPUs told. */
export function toldOf({ gpus, ofGpus }: Pick<Series, "gpus" | "ofGpus">): Told {
  const told = (column: GpuColumnName) =>
    gpus.some(({ uuid }) => newest(ofGpus.get(uuid)?.[column] ?? []) !== undefined);
  return { heat: told("temperature"), energy: told("energyJoules") };
}

/** How busy the GPUs are. */
export const utilizationCard = (gpus: readonly GpuName[]): CardSpec => ({
  title: "GPU utilization",
  means: means(gpus, "The share of the time in which a GPU ran something, for whatever program."),
  left: percent,
  least: 100,
  most: 100,
  lines: linesOf(gpus, ["utilizationPercent", "utilizationHigh", "utilizationLow"], percentText),
  figures: now(
    gpus,
    ({ utilization }) => utilization,
    ({ utilization }) => percentText(utilization * 100),
  ),
  isNow: true,
  empty: "Nothing was measured",
});

/** Of no GPU there are no cards, and none of what is not told. */
export function gpuCards(gpus: readonly GpuName[], { heat, energy }: Told): CardSpec[] {
  if (gpus.length === 0) return [];
  return [
    utilizationCard(gpus),
    {
      title: "GPU memory",
      means: means(gpus, "What all programs hold of a GPU's memory. The dashed line is all that it has."),
      left: memory,
      lines: withWhole(gpus, linesOf(gpus, ["usedBytes", "usedHigh", "usedLow"], bytesText), "totalBytes"),
      figures: (facts) => [...now(gpus, ({ usedBytes }) => usedBytes, usedText)(facts), ...ownOf(facts)],
      isNow: true,
      empty: "Nothing was measured",
    },
    {
      title: "GPU power",
      means: means(gpus, "What a GPU draws. The dashed line is the most that it may draw."),
      left: watts,
      lines: withWhole(gpus, linesOf(gpus, ["powerWatts", "powerHigh", "powerLow"], wattText), "powerLimit"),
      figures: now(gpus, ({ powerWatts }) => powerWatts, drawnText),
      isNow: true,
      empty: "Nothing was measured",
    },
    ...(energy ? [energyCard(gpus)] : []),
    ...(heat ? [heatCard(gpus)] : []),
  ];
}
