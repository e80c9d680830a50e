/** What a card shows, and the columns of a series as its chart draws them. */
import type { DeviceMemory, Gpu, MetricSummary } from "../../api/conch_pb";
import type { Column, ColumnPlace } from "../../lib/series";
import { columnAt, lowerBound, newest } from "../../lib/series";
import type { FeedState } from "../feed";
import type { ChartData, Line } from "./chart";
import { marksOf } from "./events";
import { clippedTop } from "./scales";
import type { Unit } from "./units";

export type CardLine = Line & {
  readonly column: ColumnPlace;
  readonly band?: readonly [ColumnPlace, ColumnPlace]; // the highest and the lowest second beside the mean
  readonly whole?: ColumnPlace; // what it is a part of
  readonly unread?: boolean; // its values are not told under the crosshair
  readonly text: (value: number) => string; // with its unit
  readonly onlyWhenPositive?: boolean; // failures: a line at 0 would shout about nothing
};

/** What the heads of cards are made from. */
export type Facts = {
  readonly model?: string; // whose; "" or undefined of all
  readonly summary: MetricSummary | undefined; // of the whole range
  readonly perSecond: number; // now
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly gpus: readonly Gpu[];
  readonly gpusLost?: readonly number[]; // by the driver
  readonly refused?: string | undefined; // "12 refused": what never ran, so it is no failure and not in the summary
  readonly own?: readonly DeviceMemory[]; // what the model holds now, by device; undefined on pages that are of no model
};

/** A figure in a card's head. */
export type Figure = {
  readonly label: string;
  readonly color?: string;
  readonly text: string;
  readonly leads?: "refused" | "failed"; // to the list of what it counts
  readonly value?: number; // of many figures, the highest are told
  readonly always?: boolean; // it is told, however many others there are
  readonly isNow?: boolean; // of this moment; not told where the chart shows the past
};

export type CardSpec = {
  readonly title: string;
  readonly means: string; // what is measured, in a sentence
  readonly lines: readonly CardLine[];
  readonly figures: (facts: Facts) => readonly Figure[]; // without the crosshair
  readonly isNow?: boolean; // the figures are of this moment, not of the range
  readonly left: Unit;
  readonly right?: Unit;
  readonly stacked?: boolean;
  readonly adds?: boolean; // its lines grow from the left end of the range by what came in each step, and the head tells where they end
  readonly least?: number; // the left axis reaches at least so far
  readonly most?: number; // no value of the left axis can be above it
  readonly clips?: boolean; // a few values far above the rest may leave the picture, and are told in words
  readonly empty: string; // "No requests"
};

const mostTold = 4;

/** As many figures as a head has room for: of many, the highest, and of how many, beside those that are always told. */
export function fewOf(figures: readonly Figure[]): readonly Figure[] {
  if (figures.length <= mostTold) return figures;
  const always = figures.filter((figure) => figure.always);
  const rest = figures.filter((figure) => !figure.always);
  const room = Math.max(mostTold - 1 - always.length, 1);
  if (rest.length <= room) return figures;
  const highest = rest.toSorted((a, b) => (b.value ?? -1) - (a.value ?? -1)).slice(0, room);
  return [{ label: "highest of", text: String(rest.length) }, ...highest, ...always];
}

/** A column as the card tells it. */
export function toldColumn(spec: CardSpec, { series, from, to }: FeedState, place: ColumnPlace): Column {
  const column = columnAt(series, place);
  if (!spec.adds) return column;
  const begin = lowerBound(series.time, from);
  const end = lowerBound(series.time, to + 1e-3);
  let sum = 0;
  return column.map((value, at) => {
    if (value === null || at < begin || at >= end) return null;
    sum += value;
    return sum;
  });
}

/** What the head of a card tells of the range whose lines grow: where each ends. */
export const sumsOf = (spec: CardSpec, feed: FeedState): readonly Figure[] =>
  spec.lines.map(({ label, color, column, text }) => {
    const value = newest(toldColumn(spec, feed, column));
    return { label, color, text: value === undefined ? "–" : text(value), value: value ?? -1 };
  });

/** Stacked lines are drawn as sums, the whole first, so that each part lies on the ones below it. */
export function chartData(
  spec: CardSpec,
  feed: FeedState,
): ChartData & { readonly peak: number | undefined } {
  const { series, from, to } = feed;
  const columns = spec.lines.map(({ column, onlyWhenPositive }) =>
    onlyWhenPositive ? positive(columnAt(series, column)) : toldColumn(spec, feed, column),
  );
  const drawn = spec.stacked ? sums(columns) : columns;
  const edges = spec.lines.flatMap(({ band }) => band ?? []).map((place) => columnAt(series, place));
  const highest = spec.clips ? valuesInView(edges[0] ?? (spec.stacked ? drawn[0] : drawn.at(-1)), feed) : [];
  const clipped = clippedTop(highest);
  return {
    time: series.time,
    columns: [...drawn, ...edges],
    from,
    to,
    marks: marksOf(feed.events),
    top: clipped,
    least: spec.least,
    most: spec.most,
    peak: clipped === undefined ? undefined : Math.max(...highest),
  };
}

function valuesInView(column: Column = [], { series, from, to }: FeedState): number[] {
  const shown = column.slice(lowerBound(series.time, from), lowerBound(series.time, to + 1e-3));
  return shown.filter((value): value is number => value !== null);
}

/** The lines with a band, by their place. */
export const bandsOf = ({ lines }: CardSpec): number[] => lines.flatMap(({ band }, at) => (band ? [at] : []));

const positive = (column: Column) => column.map((value) => (value === 0 ? null : value));

function sums(columns: readonly Column[]): Column[] {
  const out: (number | null)[][] = columns.map((column) => [...column]);
  for (let at = out.length - 2; at >= 0; at--) {
    const below = out[at + 1] as (number | null)[];
    out[at] = (out[at] as (number | null)[]).map((value, i) =>
      value === null ? null : value + (below[i] ?? 0),
    );
  }
  return out;
}
