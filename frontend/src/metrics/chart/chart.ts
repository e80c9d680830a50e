/** A time chart as a behaviour machine on uPlot: made once, then fed; React only mounts it. */
import "./locale";
import uPlot from "uplot";
import type { Span } from "../../lib/range";
import type { Column } from "../../lib/series";
import { chartKeys, isPress, type PressLike } from "../../window/keys";
import { timeAxis, valueAxis } from "./axes";
import { loneBars } from "./loneBars";
import type { Mark } from "./markGroups";
import { marksPlugin } from "./marks";
import { largest, leftTop, scaleOf } from "./reach";
import { axisTop, lonely, token, translucent } from "./scales";
import type { Unit } from "./units";

export type Line = {
  readonly label: string;
  readonly color: string; // the name of a token: "--p50"
  readonly fill?: "solid";
  readonly right?: boolean; // its axis is the right one, with a unit of its own
  readonly dashed?: boolean; // a limit, which others stay below
};

export type ChartSpec = {
  readonly lines: readonly Line[];
  readonly bands: readonly number[]; // lines with a lowest and a highest value beside the mean
  readonly left: Unit;
  readonly right?: Unit | undefined;
  readonly sync: string; // charts with the same word share one crosshair
  readonly onCursor: (index: number | undefined) => void;
  readonly onZoom: (span: Span) => void;
  readonly onBack: () => void;
};

export type ChartData = {
  readonly time: readonly number[];
  readonly columns: readonly Column[]; // those of the lines, then two for each band: the highest, the lowest
  readonly from: number; // Unix seconds, both ends of what is shown
  readonly to: number;
  readonly marks: readonly Mark[];
  readonly top?: number | undefined; // lower than the largest value when a few of them may leave the picture
  readonly least?: number | undefined; // the left axis reaches at least so far
  readonly most?: number | undefined; // no value can be above it
};

export type Chart = {
  update(data: ChartData): void;
  resize(size: { width: number; height: number }): void;
  show(visible: boolean): void; // a chart that is not seen is not drawn
  press(event: PressLike): boolean; // a key on the focused chart; reports whether it means something here
  destroy(): void;
};

/** Puts a chart into a host element. Colors follow the theme; nothing is rebuilt when data comes. */
export function createChart(host: HTMLElement, spec: ChartSpec): Chart {
  let data: ChartData | undefined;
  let visible = true;
  let stale = false; // data came while the chart was not seen
  const plot = new uPlot(
    options(host, spec, () => data?.marks ?? []),
    columnsOf(spec, data),
    host,
  );
  const draw = () => {
    stale = !visible && data !== undefined;
    if (!visible || !data) return;
    plot.batch(() => fill(plot, data as ChartData, spec));
    pointAgain(spec.sync);
  };
  plot.over.addEventListener("mouseenter", () => leads.set(spec.sync, { plot }));
  plot.over.addEventListener("mouseleave", () => leads.delete(spec.sync));
  const theme = new MutationObserver(() => plot.redraw(false, true));
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ["class", "data-theme"] });
  return {
    update: (next) => {
      data = next;
      draw();
    },
    resize: (size) => {
      plot.setSize(size);
      pointAgain(spec.sync);
    },
    show: (next) => {
      visible = next;
      if (visible && stale) draw();
    },
    press: (event) => press(plot, spec, event),
    destroy: () => {
      theme.disconnect();
      if (leads.get(spec.sync)?.plot === plot) leads.delete(spec.sync);
      plot.destroy();
    },
  };
}

/** The chart that says where the crosshair is: by the pointer over it, or by keys, which leave it at a time. */
type Lead = { readonly plot: uPlot; readonly time?: number };

/** By the word of the crosshair that charts share. */
const leads = new Map<string, Lead>();

/** Moves the crosshair to its moment in all charts, after one of them has other axes or other data. */
function pointAgain(sync: string): void {
  const lead = leads.get(sync);
  if (!lead) return;
  const { plot, time } = lead;
  const { left = -1, top = -1 } = plot.cursor;
  if (time !== undefined) pointTo(plot, time);
  else if (left >= 0) point(plot, left, top);
}

/** Moves the crosshair of all charts to a time, and hides it where that is out of sight. */
function pointTo(plot: uPlot, time: number): void {
  const left = plot.valToPos(time, "x");
  const seen = left >= 0 && left <= plot.over.clientWidth;
  point(plot, seen ? left : -10, seen ? 4 : -10);
}

/** uPlot's types leave the last argument out: without it only this chart would be told. */
type SetCursor = (at: { left: number; top: number }, fireHook: boolean, inAll: boolean) => void;

const point = ({ setCursor }: uPlot, left: number, top: number): void =>
  (setCursor as SetCursor)({ left, top }, true, true);

function columnsOf({ lines, bands }: ChartSpec, data: ChartData | undefined): uPlot.AlignedData {
  if (data) return [data.time, ...data.columns] as uPlot.AlignedData;
  return [[], ...Array.from({ length: lines.length + bands.length * 2 }, () => [])];
}

function fill(plot: uPlot, data: ChartData, spec: ChartSpec): void {
  plot.setData(columnsOf(spec, data), false);
  plot.setScale("x", { min: data.from, max: data.to });
  plot.setScale("left", { min: 0, max: leftTop(data, spec) });
  if (!spec.right) return;
  const right = largest(data, spec, "right");
  plot.setScale("right", { min: 0, max: axisTop(right, { base: spec.right.base?.(right) }) });
}

const fixed: uPlot.Scale = { auto: false, range: (_, min, max) => [min ?? 0, max ?? 1] };

function options(host: HTMLElement, spec: ChartSpec, marks: () => readonly Mark[]): uPlot.Options {
  const { lines, bands, left, right } = spec;
  const edges = bands.flatMap((at) => [edge(lines[at]), edge(lines[at])]);
  return {
    width: Math.max(host.clientWidth, 80),
    height: Math.max(host.clientHeight, 60),
    padding: [16, right ? 4 : 14, 0, 0],
    legend: { show: false },
    cursor: cursor(spec),
    scales: { x: { time: true, auto: false }, left: fixed, right: fixed },
    axes: [timeAxis(), valueAxis("left", left), ...(right ? [valueAxis("right", right)] : [])],
    series: [{}, ...lines.map(series), ...edges],
    bands: bands.map((line, at) => ({
      series: [1 + lines.length + at * 2, 2 + lines.length + at * 2],
      fill: () => translucent(token(lines[line]?.color ?? ""), 0.16),
    })),
    plugins: [marksPlugin(marks), loneBars(lines)],
    hooks: {
      setCursor: [(plot) => spec.onCursor(plot.cursor.idx ?? undefined)],
      setSelect: [(plot) => zoom(plot, spec)],
    },
  };
}

const crosshair = (type: string) => type === "mousemove" || type === "mouseleave";

function cursor({ sync, onBack }: ChartSpec): uPlot.Cursor {
  return {
    y: false,
    drag: { x: true, y: false, setScale: false, dist: 5 },
    points: { size: 6 },
    // The crosshair is everywhere, what is dragged over only here: charts of other widths would disagree on it.
    sync: { key: sync, setSeries: false, filters: { pub: crosshair, sub: crosshair } },
    bind: {
      dblclick: () => () => {
        onBack();
        return null;
      },
    },
  };
}

function zoom(plot: uPlot, { onZoom }: ChartSpec): void {
  const { left, width } = plot.select;
  if (width <= 0) return;
  const at = (x: number) => plot.posToVal(x, "x") * 1000;
  const span = { from: at(left), to: at(left + width) };
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onZoom(span);
}

/** Arrows move the crosshair; plus and minus zoom. */
function press(plot: uPlot, { sync, onZoom, onBack }: ChartSpec, event: PressLike): boolean {
  const time = plot.data[0];
  const back = isPress(event, chartKeys.earlier);
  // Escape is the whole page's.
  if (event.key !== "Escape" && isPress(event, chartKeys.zoomOut)) onBack();
  else if (isPress(event, chartKeys.zoomIn)) onZoom(closer(plot));
  else if (back || isPress(event, chartKeys.later)) {
    const next = (plot.cursor.idx ?? time.length) + (back ? -1 : 1);
    const at = time[Math.min(Math.max(next, 0), time.length - 1)];
    if (at !== undefined) {
      leads.set(sync, { plot, time: at });
      pointTo(plot, at);
    }
  } else return false;
  return true;
}

/** Half of what is shown, around the crosshair as far as it is a part of it: there is nothing to see of the future. */
function closer({ data: [time], scales, cursor }: uPlot): Span {
  const { min, max } = scales.x ?? {};
  const [from, to] = [min ?? 0, max ?? 0];
  const half = (to - from) / 2;
  const middle = time[cursor.idx ?? -1] ?? from + half;
  const begin = Math.min(Math.max(middle - half / 2, from), to - half);
  return { from: begin * 1000, to: (begin + half) * 1000 };
}

function series(line: Line): uPlot.Series {
  return {
    label: line.label,
    scale: scaleOf(line),
    stroke: () => token(line.color),
    ...(line.fill && { fill: () => translucent(token(line.color), 0.85) }),
    width: line.fill ? 0 : 1.5,
    ...(line.dashed && { dash: [4, 4], width: 1 }),
    points: {
      show: false,
      // A point of a layer would stand at the height of a sum: layers have loneBars.
      filter: (plot, index) => (line.fill ? [] : lonely(plot.data[index] as (number | null)[])),
      size: 4,
      width: 0,
      fill: () => token(line.color),
    },
    spanGaps: false,
  };
}

/** An edge of a band: no line of its own. */
function edge(line: Line | undefined): uPlot.Series {
  return { scale: scaleOf(line), width: 0, points: { show: false }, spanGaps: false };
}
