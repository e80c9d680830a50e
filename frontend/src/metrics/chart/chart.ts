/** A time chart as a behaviour machine on uPlot: made once, then fed; React only mounts it. */
import "./locale";
import uPlot from "uplot";
import { type Mark, marksPlugin } from "./marks";
import { axisFont, dateSplits, lonely, niceMax, token, translucent } from "./scales";

export type Line = {
  readonly label: string;
  readonly color: string; // the name of a token: "--p50"
  readonly fill?: "weak" | "solid";
  readonly ownScale?: boolean; // drawn against its own largest value; the axis belongs to the others
};

export type ChartSpec = {
  readonly lines: readonly Line[];
  readonly height: number;
  readonly format: (value: number) => string; // an axis label
  readonly sync: string; // charts with the same word share one crosshair
  readonly onCursor: (index: number | undefined) => void;
};

export type ChartData = {
  readonly time: readonly number[];
  readonly columns: readonly (readonly (number | null)[])[];
  readonly from: number; // Unix seconds, both ends of what is shown
  readonly to: number;
  readonly marks: readonly Mark[];
  readonly stepSeconds: number;
  readonly top?: number | undefined; // lower than the largest value when a few of them may leave the picture
  readonly least?: number | undefined; // the axis reaches at least so far
};

export type Chart = { update(data: ChartData): void; resize(width: number): void; destroy(): void };

/** Puts a chart into a host element. Colours follow the theme; nothing is rebuilt when data comes. */
export function createChart(host: HTMLElement, spec: ChartSpec): Chart {
  let marks: readonly Mark[] = [];
  let step = 0;
  const plot = new uPlot(
    options(host, spec, { marks: () => marks, step: () => step }),
    emptyData(spec),
    host,
  );
  const theme = new MutationObserver(() => plot.redraw(false, true));
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ["class", "data-theme"] });
  return {
    update: (data) => {
      marks = data.marks;
      step = data.stepSeconds;
      plot.batch(() => {
        plot.setData([data.time as number[], ...(data.columns as (number | null)[][])], false);
        plot.setScale("x", { min: data.from, max: data.to });
        plot.setScale("y", {
          min: 0,
          max: niceMax(Math.max(data.top ?? largest(data, spec, "y"), data.least ?? 0)),
        });
        plot.setScale("own", { min: 0, max: niceMax(largest(data, spec, "own")) });
      });
    },
    resize: (width) => plot.setSize({ width, height: spec.height }),
    destroy: () => {
      theme.disconnect();
      plot.destroy();
    },
  };
}

function emptyData(spec: ChartSpec): uPlot.AlignedData {
  return [[], ...spec.lines.map(() => [])];
}

const rightPadding = 18;
const labelCharacter = 6.2; // the width of a figure in the axes' font

const scaleOf = (line: Line) => (line.ownScale ? "own" : "y");

/** The largest value of a scale's lines that is in view. */
function largest({ time, columns, from }: ChartData, { lines }: ChartSpec, scale: string): number {
  let max = 0;
  for (const [at, column] of columns.entries()) {
    if (scaleOf(lines[at] as Line) === scale) max = Math.max(max, largestSince(column, time, from));
  }
  return max;
}

function largestSince(column: ChartData["columns"][number], time: readonly number[], from: number): number {
  let max = 0;
  for (let i = column.length - 1; i >= 0 && (time[i] as number) >= from; i--)
    max = Math.max(max, column[i] ?? 0);
  return max;
}

const fixed: uPlot.Scale = { auto: false, range: (_, min, max) => [min ?? 0, max ?? 1] };

/** What changes while the chart stays. */
type Live = { readonly marks: () => readonly Mark[]; readonly step: () => number };

function options(host: HTMLElement, spec: ChartSpec, { marks, step }: Live): uPlot.Options {
  return {
    width: Math.max(host.clientWidth, 80),
    height: spec.height,
    padding: [12, rightPadding, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { size: 6 },
      sync: { key: spec.sync, setSeries: false },
    },
    scales: { x: { time: true, auto: false }, y: fixed, own: fixed },
    axes: [timeAxis(), valueAxis(spec)],
    series: [{}, ...spec.lines.map((line) => series(line, step))],
    plugins: [marksPlugin(marks)],
    hooks: { setCursor: [(plot) => spec.onCursor(plot.cursor.idx ?? undefined)] },
  };
}

function series(line: Line, step: () => number): uPlot.Series {
  return {
    label: line.label,
    scale: scaleOf(line),
    stroke: () => token(line.color),
    fill: line.fill && (() => translucent(token(line.color), line.fill === "solid" ? 0.85 : 0.12)),
    width: line.fill === "solid" ? 0 : 1.5,
    points: {
      show: false,
      filter: (plot, index) => lonely(plot.data[index] as (number | null)[]),
      size: 4,
      width: 0,
      fill: () => token(line.color),
    },
    spanGaps: false,
    gaps: (plot, _, __, ___, holes) => holes.filter((hole) => isWide(plot, hole, step())),
  };
}

/** One missed interval is not a gap: sampling once a second is sometimes late. */
function isWide(plot: uPlot, [from, to]: uPlot.Series.Gap, stepSeconds: number): boolean {
  return plot.posToVal(to, "x", true) - plot.posToVal(from, "x", true) > stepSeconds * 2.1;
}

function timeAxis(): uPlot.Axis {
  return {
    stroke: () => token("--text-3"),
    font: axisFont,
    grid: { show: false },
    ticks: { show: false },
    size: 24,
    gap: 6,
    space: 64,
    values: (plot, splits, _, __, increment) =>
      dateSplits(splits, increment).map((label, i) => (fits(plot, splits[i] as number, label) ? label : "")),
  };
}

/** A label at the right end that would be cut is left out. */
function fits(plot: uPlot, at: number, label: string): boolean {
  const room = plot.bbox.width / uPlot.pxRatio + rightPadding;
  return plot.valToPos(at, "x") + (label.length * labelCharacter) / 2 <= room;
}

function valueAxis(spec: ChartSpec): uPlot.Axis {
  return {
    stroke: () => token("--text-3"),
    font: axisFont,
    grid: { stroke: () => token("--border"), width: 1 },
    ticks: { show: false },
    size: 44,
    gap: 6,
    splits: (plot) => thirds(plot.scales.y?.max ?? 1),
    values: (_, splits) => splits.map(spec.format),
  };
}

function thirds(max: number): number[] {
  return [0, max / 3, (max * 2) / 3, max];
}
