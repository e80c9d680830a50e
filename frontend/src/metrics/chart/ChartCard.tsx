/** A card with one chart: its title, the values under the crosshair or the newest, and what to say without data. */
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { moment } from "../../lib/format";
import type { ColumnName } from "../../lib/series";
import { newest } from "../../lib/series";
import { useWorkspace } from "../../workspace/workspace";
import type { FeedState } from "../metricsFeed";
import css from "./ChartCard.module.css";
import type { ChartData, Line } from "./chart";
import { marksOf } from "./events";
import { clippedTop } from "./scales";
import { TimeChart } from "./TimeChart";

export type CardLine = Line & {
  readonly column: ColumnName;
  readonly text: (value: number) => string; // as the card's head shows it
  readonly hideLabel?: boolean;
  readonly onlyWhenPositive?: boolean; // failures: a line at 0 would shout about nothing
};

export type CardSpec = {
  readonly title: string;
  readonly lines: readonly CardLine[];
  readonly axis: (value: number) => string;
  readonly stacked?: boolean;
  readonly least?: number; // the axis reaches at least so far
  readonly clips?: boolean; // a few values far above the rest may leave the picture, and are told in words
  readonly empty: string; // "No requests"
};

type Props = {
  readonly spec: CardSpec;
  readonly feed: FeedState;
  readonly phrase: string;
  readonly height?: number;
};

export function ChartCard({ spec, feed, phrase, height = 150 }: Props) {
  const [cursor, setCursor] = useState<number>();
  const onCursor = useCallback((index: number | undefined) => setCursor(index), []);
  const unwritten = useWorkspace((state) => state.unwritten !== undefined);
  const none = unwritten ? "Nothing to show: history is not being written" : `${spec.empty} ${phrase}`;
  const data = useMemo(() => chartData(spec, feed), [spec, feed]);
  const nothing =
    !feed.loading && spec.lines.every(({ column }) => newest(feed.series[column]) === undefined);
  const values = spec.lines.map(({ column }) =>
    cursor === undefined ? newest(feed.series[column]) : (feed.series[column][cursor] ?? undefined),
  );
  const at = cursor === undefined ? undefined : feed.series.time[cursor];
  const label = spec.lines.map((line, i) => `${line.label} ${valueText(line, values[i])}`).join(", ");
  return (
    <section className={css.card} aria-label={spec.title} aria-busy={feed.loading}>
      <h3 className={css.title}>
        {spec.title}
        {at !== undefined && <span className={css.peak}>{moment(at * 1000)}</span>}
        {at === undefined && data.peak !== undefined && <Peak value={data.peak} text={peakText(spec)} />}
        <span className={css.values} data-reversed={spec.stacked}>
          {spec.lines.map((line, i) =>
            line.onlyWhenPositive && !values[i] ? null : (
              <Value key={line.label} line={line} value={values[i]} />
            ),
          )}
        </span>
      </h3>
      <div className={css.chart} data-dim={feed.loading || feed.error !== undefined}>
        <TimeChart
          label={`${spec.title}: ${label}`}
          lines={spec.lines}
          data={data}
          format={spec.axis}
          height={height}
          sync="metrics"
          onCursor={onCursor}
        />
        {feed.error !== undefined && <Overlay>No answer; the last known state is shown</Overlay>}
        {nothing && feed.error === undefined && <Overlay>{none}</Overlay>}
      </div>
    </section>
  );
}

/** The line or layer that stands highest says what it reached. */
const peakText = ({ lines, stacked }: CardSpec) => (stacked ? lines[0] : lines.at(-1))?.text ?? String;

/** What lies above the picture. */
function Peak({ value, text }: { readonly value: number; readonly text: (value: number) => string }) {
  return (
    <span className={css.peak} title="A few values are far above the rest and leave the picture">
      up to {text(value)}
    </span>
  );
}

function Overlay({ children }: { readonly children: ReactNode }) {
  return (
    <div className={css.overlay}>
      <span>{children}</span>
    </div>
  );
}

function Value({ line, value }: { readonly line: CardLine; readonly value: number | undefined }) {
  return (
    <span style={{ color: `color-mix(in srgb, var(${line.color}) 64%, var(--text))` }}>
      {line.hideLabel ? "" : `${line.label} `}
      {valueText(line, value)}
    </span>
  );
}

const valueText = (line: CardLine, value: number | undefined) =>
  value === undefined ? "–" : line.text(value);

/** Stacked lines are drawn as sums, the whole first, so that each part lies on the ones below it. */
function chartData(spec: CardSpec, feed: FeedState): ChartData & { readonly peak: number | undefined } {
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
    stepSeconds: series.stepMs / 1000,
    top: clipped,
    least: spec.least,
    peak: clipped === undefined ? undefined : Math.max(...highest),
  };
}

function valuesInView(column: readonly (number | null)[] = [], { series, from }: FeedState): number[] {
  return column.filter((value, i): value is number => value !== null && (series.time[i] as number) >= from);
}

const positive = (column: readonly (number | null)[]) => column.map((value) => (value === 0 ? null : value));

function sums(columns: readonly (readonly (number | null)[])[]): (number | null)[][] {
  const out = columns.map((column) => [...column]);
  for (let at = out.length - 2; at >= 0; at--) {
    const below = out[at + 1] as (number | null)[];
    const here = out[at] as (number | null)[];
    for (let i = 0; i < here.length; i++) {
      const value = here[i];
      if (value !== null && value !== undefined) here[i] = value + (below[i] ?? 0);
    }
  }
  return out;
}
