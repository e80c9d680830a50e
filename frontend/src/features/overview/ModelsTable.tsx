/** Every model of the repository with what it does now; only the rows in view are drawn. */
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { cx } from "../../lib/cx";
import { type View, viewHead, viewPhrase } from "../../lib/range";
import { useSummaries } from "../../metrics/useSummaries";
import type { Refused } from "../../requests/refusals";
import { useKeptScroll } from "../../window/useKeptScroll";
import { useWorkspace } from "../../workspace/workspace";
import { headRows, ModelRow } from "./ModelRow";
import css from "./overview.module.css";
import { type SortKey, serves, sortModels, sortsByRange } from "./rows";
import { sparkPoints } from "./Sparkline";

const rowHeight = 36;
const headHeight = 50;
const borders = 2;

type Column = {
  readonly key?: SortKey;
  readonly label: string;
  readonly number?: boolean;
  readonly width?: number;
  readonly wide?: boolean; // gives way in a narrow window
  readonly inRange?: boolean; // what a model did in the range that the charts show
  readonly title?: string;
};

const memoryMeans =
  "What the backend measures: the model's weights and its working memory, as of its last request";

const traffic = "Traffic";

/** Widths in pixels. Names and traffic have theirs in the styles, by the room; notes have what is left. */
const columns: readonly Column[] = [
  { key: "name", label: "Model" },
  { key: "kind", label: "Kind", width: 84, wide: true },
  { label: "Versions", width: 64 },
  { label: "Instances", width: 74, wide: true },
  { key: "memory", label: "Memory", number: true, width: 66, title: memoryMeans },
  {
    key: "rate",
    label: "Now, /s",
    number: true,
    width: 62,
    title: "Requests per second in the last 5 seconds: of clients, of ensembles and of other models",
  },
  { label: traffic, wide: true, inRange: true },
  { key: "requests", label: "Requests", number: true, width: 72, inRange: true, title: "Answered or failed" },
  {
    key: "p50",
    label: "p50 ms",
    number: true,
    width: 58,
    inRange: true,
    title: "Half of the requests were answered within this time, as measured in the engine",
  },
  {
    key: "p99",
    label: "p99 ms",
    number: true,
    width: 58,
    inRange: true,
    title: "99 % of the requests were answered within this time, as measured in the engine",
  },
  {
    key: "failures",
    label: "Failures",
    number: true,
    width: 62,
    inRange: true,
    title: "Requests that failed",
  },
  { label: "Note" },
];

const none: readonly string[] = [];

const modelsOf = (state: ReturnType<typeof useWorkspace.getState>) => state.models;

const noneRefused: ReadonlyMap<string, Refused> = new Map();

type Props = { readonly view: View; readonly refused?: ReadonlyMap<string, Refused> };

export function ModelsTable({ view, refused = noneRefused }: Props) {
  const models = useWorkspace(modelsOf);
  const [sort, setSort] = useState<SortKey>("state");
  const all = useSummaries(sortsByRange(sort) ? "all" : none, view);
  const sorted = useMemo(() => sortModels(models.values(), sort, all), [models, sort, all]);
  const scroll = useRef<HTMLDivElement>(null);
  const kept = useKeptScroll("models of the overview", scroll);
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollPaddingEnd: headHeight, // the head scrolls with the rows as far as the library knows
  });
  const rows = useRows(scroll, sorted.length, virtual.scrollToIndex);
  const items = virtual.getVirtualItems();
  const reached = items.some(({ index }) => index === rows.at) ? rows.at : items[0]?.index;
  const shown = items.flatMap(({ index }) => {
    const model = sorted[index];
    return model && serves(model) ? [model.name] : [];
  });
  const summaries = useSummaries(shown, view, sparkPoints);
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items[items.length - 1]?.end ?? 0);
  const place = useRef<HTMLDivElement>(null);
  const seen = useWholeRows(place, sorted.length);
  const passed = Math.round((virtual.scrollOffset ?? 0) / rowHeight);
  return (
    <div ref={place} className={css.place} style={{ flexBasis: heightOf(sorted.length) }}>
      <div className={css.tableCard}>
        <div
          ref={kept}
          className={css.rows}
          style={{ maxHeight: seen === undefined ? undefined : headHeight + seen * rowHeight }}
        >
          <table className={css.table} aria-label="Models" aria-rowcount={sorted.length + headRows}>
            <colgroup>
              {columns.map(({ key, label, width, wide }) => (
                <col
                  key={label}
                  style={{ width }}
                  className={cx(
                    wide && css.wide,
                    key === "name" && css.names,
                    label === traffic && css.traffics,
                  )}
                />
              ))}
            </colgroup>
            <HeadRow
              sort={sort}
              view={view}
              more={
                seen !== undefined && (
                  <More
                    above={passed}
                    below={Math.max(sorted.length - seen - passed, 0)}
                    onMore={() =>
                      virtual.scrollToIndex(Math.min(passed + 2 * seen, sorted.length) - 1, { align: "end" })
                    }
                  />
                )
              }
              onSort={(key) => setSort(key === sort ? "state" : key)}
            />
            <tbody onKeyDown={rows.onKeyDown}>
              <Spacer height={above} />
              {items.map(({ index }) => {
                const model = sorted[index];
                return (
                  model && (
                    <ModelRow
                      key={model.name}
                      model={model}
                      index={index}
                      inRange={summaries.get(model.name)}
                      refused={refused.get(model.name)}
                      tabbable={index === reached}
                      onFocus={rows.setAt}
                    />
                  )
                );
              })}
              <Spacer height={below} />
            </tbody>
          </table>
        </div>
      </div>
    </div>
  );
}

/** How high the card is when all rows are in it. */
const heightOf = (rows: number) => headHeight + rows * rowHeight + borders;

/** How many rows are in sight where not all are: whole ones. */
function useWholeRows(place: RefObject<HTMLDivElement | null>, count: number): number | undefined {
  const [height, setHeight] = useState<number>();
  useLayoutEffect(() => {
    if (!place.current) return;
    const sizes = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height));
    sizes.observe(place.current);
    return () => sizes.disconnect();
  }, [place]);
  if (height === undefined || height >= heightOf(count) - 1) return undefined;
  return Math.max(1, Math.floor((height - borders - headHeight) / rowHeight));
}

type MoreProps = { readonly above: number; readonly below: number; readonly onMore: () => void };

/** Says in the head what is out of sight: scroll bars of some systems are not seen. It takes no row from the models. */
function More({ above, below, onMore }: MoreProps) {
  if (below === 0) return <span className={css.more}>{above} more above</span>;
  return (
    <button type="button" className={css.more} onClick={onMore}>
      {below} more below
    </button>
  );
}

/** One row is reached with Tab; the arrow keys go on from there, also to rows that are not drawn yet. */
function useRows(
  scroll: React.RefObject<HTMLElement | null>,
  count: number,
  scrollTo: (index: number) => void,
) {
  const [at, setAt] = useState(0);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const next = Math.min(Math.max(at + step, 0), count - 1);
    if (step === 0 || next === at) return;
    event.preventDefault();
    setAt(next);
    scrollTo(next);
    requestAnimationFrame(() =>
      scroll.current?.querySelector<HTMLElement>(`button[data-index="${next}"]`)?.focus(),
    );
  };
  return { at: Math.min(at, Math.max(count - 1, 0)), setAt, onKeyDown };
}

/** Stands for the rows that are not drawn. */
function Spacer({ height }: { readonly height: number }) {
  return height > 0 ? <tr style={{ height }} /> : null;
}

type HeadProps = {
  readonly sort: SortKey;
  readonly view: View;
  readonly more: ReactNode; // what is said of the rows out of sight
  readonly onSort: (key: SortKey) => void;
};

const before = columns.findIndex(({ inRange }) => inRange);
const narrow = (list: readonly Column[]) => list.filter(({ wide }) => !wide);

/** Names the range over the columns that are of it. In a narrow window these are fewer. */
function GroupRow({ view, more }: Pick<HeadProps, "view" | "more">) {
  const leading = columns.slice(0, before);
  const inRange = columns.filter((column) => column.inRange);
  return (
    <tr className={css.groups}>
      <td className={css.wide} colSpan={leading.length}>
        {more}
      </td>
      <td className={css.slim} colSpan={narrow(leading).length}>
        {more}
      </td>
      <th className={css.wide} colSpan={inRange.length} scope="colgroup">
        <span>{viewHead(view)}</span>
      </th>
      <th className={css.slim} colSpan={narrow(inRange).length} scope="colgroup">
        <span>{viewHead(view)}</span>
      </th>
      <td />
    </tr>
  );
}

function HeadRow({ sort, view, more, onSort }: HeadProps) {
  const titleOf = ({ title, inRange }: Column) =>
    inRange && title ? `${title}, ${viewPhrase(view)}` : title;
  return (
    <thead>
      <GroupRow view={view} more={more} />
      <tr>
        {columns.map((column) => (
          <th
            key={column.label}
            className={cx(
              column.number && css.number,
              column.wide && css.wide,
              column.label === traffic && css.spark,
            )}
            title={titleOf(column)}
            aria-sort={
              column.key === sort && column.key ? (column.number ? "descending" : "ascending") : undefined
            }
          >
            <HeadLabel column={column} sort={sort} onSort={onSort} />
          </th>
        ))}
      </tr>
    </thead>
  );
}

function HeadLabel({
  column: { key, label },
  sort,
  onSort,
}: Omit<HeadProps, "view" | "more"> & { column: Column }) {
  if (!key) return label;
  return (
    <button type="button" className={css.sort} data-on={key === sort} onClick={() => onSort(key)}>
      {label}
    </button>
  );
}
