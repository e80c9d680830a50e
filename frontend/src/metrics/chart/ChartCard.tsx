/** A card with one chart: what it shows and of when, its figures or the values under the crosshair. */
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { moment } from "../../lib/format";
import { spanOf, type View, viewHead, viewPhrase } from "../../lib/range";
import { columnAt, lowerBound, newest } from "../../lib/series";
import { showFailed, showRefused } from "../../window/refused";
import { useWorkspace } from "../../workspace/workspace";
import type { FeedState } from "../feed";
import { useServer } from "../useServer";
import css from "./ChartCard.module.css";
import {
  bandsOf,
  type CardSpec,
  chartData,
  type Facts,
  type Figure,
  fewOf,
  sumsOf,
  toldColumn,
} from "./cardSpec";
import { TimeChart } from "./TimeChart";

type Props = {
  readonly spec: CardSpec;
  readonly feed: FeedState;
  readonly facts: Facts;
};

export function ChartCard({ spec, feed, facts }: Props) {
  const [cursor, setCursor] = useState<number>();
  const onCursor = useCallback((index: number | undefined) => setCursor(index), []);
  const data = useMemo(() => chartData(spec, feed), [spec, feed]);
  const look = useMemo(() => ({ ...spec, bands: bandsOf(spec) }), [spec]);
  const isPast = feed.view.zoom !== undefined;
  const told = cursor ?? (spec.isNow && isPast ? lastOf(feed) : undefined);
  const at = told === undefined ? undefined : feed.series.time[told];
  const figuresOf = () =>
    spec.adds
      ? sumsOf(spec, feed)
      : spec.figures(facts).filter(({ isNow }) => !(isPast && (isNow || spec.isNow)));
  const all = at === undefined ? figuresOf() : valuesAt(spec, feed, told as number);
  const figures = fewOf(all);
  const label = all.map(({ label, text }) => `${label} ${text}`.trim()).join(", ");
  const when = at === undefined ? (spec.isNow && !isPast ? "now" : viewHead(feed.view)) : moment(at * 1000);
  return (
    <section className={css.card} aria-label={spec.title} aria-busy={feed.loading}>
      <h2 className={css.title} title={spec.means}>
        <span className={css.name}>{spec.title}</span>
        <span className={css.note}>{lower(when)}</span>
      </h2>
      <div className={css.values} title={explained(spec, feed.view, facts)}>
        {figures.map((figure) => (
          <FigureText
            key={`${figure.label}${figure.color}`}
            figure={figure}
            feed={feed}
            model={facts.model}
          />
        ))}
        {at === undefined && data.peak !== undefined && <Peak spec={spec} value={data.peak} />}
      </div>
      <div className={css.chart} data-dim={feed.loading || feed.error !== undefined}>
        <TimeChart
          label={`${spec.title}, ${lower(when)}: ${label}`}
          look={look}
          data={data}
          sync="metrics"
          onCursor={onCursor}
        />
        <Absence spec={spec} feed={feed} facts={facts} />
      </div>
    </section>
  );
}

/** The last point in view, where there is one. */
function lastOf({ series, from, to }: FeedState): number | undefined {
  const last = lowerBound(series.time, to + 1e-3) - 1;
  return last >= lowerBound(series.time, from) ? last : undefined;
}

const lower = (text: string) => text.replace(/^[A-Z]/, (letter) => letter.toLowerCase());

/** What the figures are of, in a sentence. */
function explained({ isNow, adds, means }: CardSpec, view: View, { summary }: Facts): string {
  if (isNow || adds || !summary) return means;
  return `Of ${Number(summary.requests).toLocaleString("en")} requests ${viewPhrase(view)}. ${means}`;
}

/** The values under the crosshair; stacked lines from the lowest up. */
function valuesAt(spec: CardSpec, feed: FeedState, index: number): Figure[] {
  const lines = spec.stacked ? spec.lines.toReversed() : spec.lines;
  return lines.flatMap(({ label, color, column, whole, text, onlyWhenPositive, unread }) => {
    const value = toldColumn(spec, feed, column)[index];
    if (unread || (onlyWhenPositive && !value)) return [];
    const of = whole && columnAt(feed.series, whole)[index];
    const told = value === null || value === undefined ? "–" : text(value);
    return [{ label, color, text: of ? `${told} of ${text(of)}` : told, value: value ?? -1 }];
  });
}

/** The line or layer that stands highest says what it reached above the picture. */
type PeakProps = { readonly spec: CardSpec; readonly value: number };

function Peak({ spec, value }: PeakProps) {
  const { lines, stacked } = spec;
  const text = (stacked ? lines[0] : lines.at(-1))?.text ?? String;
  return (
    <span className={css.value} title="A few values are far above the rest and are not drawn">
      <span className={css.label}>up to</span> {text(value)}
    </span>
  );
}

/** What to say where nothing can be drawn. The head may know of something already: its figures come apart from the points. */
function Absence({ spec, feed, facts }: Props) {
  const unwritten = useWorkspace((state) => state.unwritten !== undefined);
  const server = useServer();
  const place = { twoAxes: spec.right !== undefined };
  if (feed.error !== undefined) return <Overlay {...place}>No answer; the last known state is shown</Overlay>;
  const nothing = spec.lines.every(({ column }) => newest(columnAt(feed.series, column)) === undefined);
  if (feed.loading || !nothing) return null;
  if (unwritten) return <Overlay {...place}>Nothing to show: history is not being written</Overlay>;
  const endsNow = feed.view.zoom === undefined; // else nothing will come, and figures of now say nothing of then
  const watched = isWatched(feed);
  if (!endsNow && !watched) return <Overlay {...place}>{unwatched(server)}</Overlay>;
  if (endsNow && spec.figures(facts).some(tellsSomething))
    return <Overlay {...place}>The first points come in a moment</Overlay>;
  return (
    <Overlay {...place}>
      {watched ? spec.empty : "Nothing was measured"}
      <span className="visually-hidden"> {viewPhrase(feed.view)}</span>
    </Overlay>
  );
}

/** Whether there is a second in view in which requests were counted, be it none. */
function isWatched({ series, from, to }: FeedState): boolean {
  const [begin, end] = [lowerBound(series.time, from), lowerBound(series.time, to + 1e-3)];
  return series.requestsPerSecond.slice(begin, end).some((value) => value !== null);
}

/** Another repository may have been open then, so Conch may have run. */
const unwatched = (server: string): string =>
  server === "" ? "Conch did not run this repository then" : `Conch did not watch ${server} then`;

/** A dash and zero tell of nothing. */
const tellsSomething = ({ text }: Figure) => /[1-9]/.test(text);

type OverlayProps = { readonly twoAxes: boolean; readonly children: ReactNode };

function Overlay({ twoAxes, children }: OverlayProps) {
  return (
    <div className={css.overlay} data-two-axes={twoAxes}>
      <span>{children}</span>
    </div>
  );
}

type FigureProps = {
  readonly figure: Figure;
  readonly feed: FeedState;
  readonly model: string | undefined;
};

const lists = {
  failed: "Show the requests that failed",
  refused: "Show the requests that the ports refused",
};

function FigureText({ figure: { label, color, text, leads }, feed, model }: FigureProps) {
  if (leads)
    return (
      <button
        type="button"
        className={css.leads}
        style={{ color: `var(${color})` }}
        title={lists[leads]}
        onClick={() =>
          leads === "failed" ? showFailed(model) : showRefused(model, spanOf(feed.view, Date.now()))
        }
      >
        <i style={{ background: `var(${color})` }} />
        {text}
      </button>
    );
  return (
    <span className={css.value}>
      {color && <i style={{ background: `var(${color})` }} />}
      {label && <span className={css.label}>{label} </span>}
      {text}
    </span>
  );
}
