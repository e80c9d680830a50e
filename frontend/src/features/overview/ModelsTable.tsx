/** Every model of the repository with what it does now; only the rows in view are drawn. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { cx } from "../../lib/cx";
import { type View, viewHead, viewPhrase } from "../../lib/range";
import { useKeptScroll } from "../../window/useKeptScroll";
import { useWorkspace } from "../../workspace/workspace";
import { ModelRow } from "./ModelRow";
import css from "./overview.module.css";
import { type SortKey, sortModels } from "./rows";

const rowHeight = 36;
const headHeight = 34;

type Column = {
  readonly key?: SortKey;
  readonly label: string;
  readonly number?: boolean;
  readonly width?: number;
  readonly wide?: boolean; // gives way in a narrow window
};

const traffic = "Traffic";

/** Widths in pixels; names and notes share what is left. */
const columns: readonly Column[] = [
  { key: "name", label: "Model" },
  { key: "kind", label: "Kind", width: 76, wide: true },
  { label: "Versions", width: 66 },
  { label: "Instances", width: 74, wide: true },
  { key: "memory", label: "Memory", number: true, width: 70 },
  { label: traffic, width: 116, wide: true },
  { key: "rate", label: "Requests/s", number: true, width: 76 },
  { key: "p50", label: "p50 ms", number: true, width: 60 },
  { key: "p99", label: "p99 ms", number: true, width: 60 },
  { key: "failures", label: "Failures", number: true, width: 64 },
  { label: "Note" },
];

const modelsOf = (state: ReturnType<typeof useWorkspace.getState>) => state.models;

export function ModelsTable({ view }: { readonly view: View }) {
  const models = useWorkspace(modelsOf);
  const [sort, setSort] = useState<SortKey>("state");
  const sorted = useMemo(() => sortModels(models.values(), sort), [models, sort]);
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
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items[items.length - 1]?.end ?? 0);
  return (
    <div ref={kept} className={css.tableCard}>
      <table className={css.table} aria-label="Models" aria-rowcount={sorted.length + 1}>
        <colgroup>
          {columns.map(({ key, label, width, wide }) => (
            <col
              key={label}
              style={{ width }}
              className={cx(wide && css.wide, key === "name" && css.names)}
            />
          ))}
        </colgroup>
        <HeadRow sort={sort} view={view} onSort={(key) => setSort(key === sort ? "state" : key)} />
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
                  view={view}
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

/** The column of small lines is called as the span of time that they show. */
function HeadText({ label, view }: { readonly label: string; readonly view: View }) {
  if (label !== traffic) return label;
  return <span title={`Requests per second ${viewPhrase(view)}`}>{viewHead(view)}</span>;
}

type HeadProps = { readonly sort: SortKey; readonly view: View; readonly onSort: (key: SortKey) => void };

function HeadRow({ sort, view, onSort }: HeadProps) {
  return (
    <thead>
      <tr>
        {columns.map(({ key, label, number, wide }) => (
          <th
            key={label}
            className={cx(number && css.number, wide && css.wide, label === traffic && css.spark)}
            aria-sort={key === sort ? (number ? "descending" : "ascending") : undefined}
          >
            {key ? (
              <button type="button" className={css.sort} data-on={key === sort} onClick={() => onSort(key)}>
                {label}
              </button>
            ) : (
              <HeadText label={label} view={view} />
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}
