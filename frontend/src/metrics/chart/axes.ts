/** The axes of a time chart. */
import "./locale";
import uPlot from "uplot";
import { axisFont, dateSplits, gridLines, token } from "./scales";
import type { Unit } from "./units";

const labelCharacter = 6.2; // the width of a figure in the axes' font

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** The distances between labels of time, in seconds. */
const increments = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 4, 6, 12].map((n) => n * hour),
  ...[1, 2, 3, 5, 7, 10].map((n) => n * day),
];

export function timeAxis(): uPlot.Axis {
  return {
    stroke: () => token("--text-3"),
    font: axisFont,
    grid: { show: false },
    ticks: { show: false },
    size: 24,
    gap: 6,
    space: (_, __, min, max) => (max - min < 5 * minute ? 64 : 50), // seconds make labels longer
    incrs: increments,
    values: (plot, splits, _, __, increment) =>
      dateSplits(splits, increment).map((label, i) => (fits(plot, splits[i] as number, label) ? label : "")),
  };
}

/** A label at either end that would be cut is left out. */
function fits(plot: uPlot, at: number, label: string): boolean {
  const half = (label.length * labelCharacter) / 2;
  const position = plot.valToPos(at, "x");
  const left = plot.bbox.left / uPlot.pxRatio + position;
  return left - half >= 0 && left + half <= plot.width;
}

/** An axis of values, as wide as its labels. The grid is the left one's: both have a label at each of its lines. */
export function valueAxis(side: "left" | "right", unit: Unit): uPlot.Axis {
  const max = (plot: uPlot) => plot.scales[side]?.max ?? 1;
  return {
    scale: side,
    side: side === "left" ? 3 : 1,
    stroke: () => token("--text-3"),
    font: axisFont,
    grid: { show: side === "left", stroke: () => token("--border"), width: 1 },
    ticks: { show: false },
    size: (_, values) => Math.max(34, ...(values ?? []).map((label) => label.length * labelCharacter + 14)),
    gap: 6,
    splits: (plot) => gridLines(max(plot)),
    values: (plot, splits) => (measured(plot, side) ? splits.map(unit(max(plot))) : splits.map(() => "")),
  };
}

/** Whether a line of an axis has a value: an axis that measures nothing has no figures. */
const measured = (plot: uPlot, side: string): boolean =>
  plot.series.some(
    ({ scale }, i) =>
      scale === side && plot.data[i]?.some((value) => value !== null && value !== undefined) === true,
  );
