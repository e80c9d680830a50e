/** A card with one chart: its title, the values under the crosshair or the newest, and what to say without data. */
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { moment } from "../../lib/format";
import { newest } from "../../lib/series";
import { useWorkspace } from "../../workspace/workspace";
import type { FeedState } from "../feed";
import css from "./ChartCard.module.css";
import { type CardLine, type CardSpec, chartData } from "./cardSpec";
import { TimeChart } from "./TimeChart";

type Props = {
  readonly spec: CardSpec;
  readonly feed: FeedState;
  readonly phrase: string; // "in the last 15 minutes"
  readonly height?: number; // of the chart; without it the chart fills the card
};

export function ChartCard({ spec, feed, phrase, height }: Props) {
  const [cursor, setCursor] = useState<number>();
  const onCursor = useCallback((index: number | undefined) => setCursor(index), []);
  const unwritten = useWorkspace((state) => state.unwritten !== undefined);
  const none = unwritten ? "Nothing to show: history is not being written" : `${spec.empty} ${phrase}`;
  const data = useMemo(() => chartData(spec, feed), [spec, feed]);
  const look = useMemo(() => ({ ...spec, bands: [] }), [spec]);
  const nothing =
    !feed.loading && spec.lines.every(({ column }) => newest(feed.series[column]) === undefined);
  const at = cursor === undefined ? undefined : feed.series.time[cursor];
  const values = spec.lines.map(({ column }) =>
    cursor === undefined || at === undefined
      ? newest(feed.series[column])
      : (feed.series[column][cursor] ?? undefined),
  );
  const label = spec.lines.map((line, i) => `${line.label} ${valueText(line, values[i])}`).join(", ");
  return (
    <section className={css.card} aria-label={spec.title} aria-busy={feed.loading}>
      <h3 className={css.title} title={spec.means}>
        <span className={css.name}>{spec.title}</span>
        {at !== undefined && <span className={css.note}>{moment(at * 1000)}</span>}
        {at === undefined && data.peak !== undefined && <Peak value={data.peak} text={peakText(spec)} />}
      </h3>
      <div className={css.values} data-reversed={spec.stacked}>
        {spec.lines.map((line, i) =>
          line.onlyWhenPositive && !values[i] ? null : (
            <Value key={line.label} line={line} value={values[i]} />
          ),
        )}
      </div>
      <div className={css.chart} data-dim={feed.loading || feed.error !== undefined}>
        <TimeChart
          label={`${spec.title}: ${label}`}
          look={look}
          data={data}
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
    <span className={css.note} title="A few values are far above the rest and leave the picture">
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
    <span className={css.value}>
      <i style={{ background: `var(${line.color})` }} />
      <span className={css.label}>{line.label}</span> {valueText(line, value)}
    </span>
  );
}

const valueText = (line: CardLine, value: number | undefined) =>
  value === undefined ? "–" : line.text(value);
