/** What a card shows, and the columns of a series as its chart draws them. */
import type { Column, ColumnName } from "../../lib/series";
import { lowerBound } from "../../lib/series";
import type { FeedState } from "../feed";
import type { ChartData, Line } from "./chart";
import { marksOf } from "./events";
import { clippedTop } from "./scales";
import type { Unit } from "./units";

export type CardLine = Line & {
  readonly column: ColumnName;
  readonly text: (value: number) => string; // with its unit
  readonly onlyWhenPositive?: boolean; // failures: a line at 0 would shout about nothing
};

export type CardSpec = {
  readonly title: string;
  readonly means: string; // what is measured, in a sentence
  readonly lines: readonly CardLine[];
  readonly left: Unit;
  readonly right?: Unit;
  readonly stacked?: boolean;
  readonly least?: number; // the left axis reaches at least so far
  readonly clips?: boolean; // a few values far above the rest may leave the picture, and are told in words
  readonly empty: string; // "No requests"
};

/** Stacked lines are drawn as sums, the whole first, so that each part lies on the ones below it. */
export function chartData(
  spec: CardSpec,
  feed: FeedState,
): ChartData & { readonly peak: number | undefined } {
  const { series, from, to } = feed;
  const columns = spec.lines.map(({ column, onlyWhenPositive }) =>
    onlyWhenPositive ? positive(series[column]) : series[column],
  );
  const drawn = spec.stacked ? sums(columns) : columns;
  const highest = spec.clips ? valuesInView(spec.stacked ? drawn[0] : drawn.at(-1), feed) : [];
  const clipped = clippedTop(highest);
  return {
    time: series.time,
    columns: drawn,
    from,
    to,
    marks: marksOf(feed.events),
    top: clipped,
    least: spec.least,
    peak: clipped === undefined ? undefined : Math.max(...highest),
  };
}

function valuesInView(column: Column = [], { series, from, to }: FeedState): number[] {
  const shown = column.slice(lowerBound(series.time, from), lowerBound(series.time, to + 1e-3));
  return shown.filter((value): value is number => value !== null);
}

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
