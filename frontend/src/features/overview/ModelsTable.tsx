/** Every model of the repository with what it does now; only the rows in view are drawn. */
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { cx } from "../../lib/cx";
import type { View } from "../../lib/range";
import { useSummaries } from "../../metrics/useSummaries";
import type { Refused } from "../../requests/refusals";
import { TableGap } from "../../ui/TableGap";
import { useRowFocus } from "../../ui/useRowFocus";
import { useKeptScroll } from "../../window/useKeptScroll";
import { useWorkspace } from "../../workspace/workspace";
import { headRows, ModelRow } from "./ModelRow";
import { columns, HeadRow, More, traffic } from "./ModelsHead";
import css from "./overview.module.css";
import { headHeight, heightOf, type Room, roomIn } from "./room";
import { removedModels, removedOf, type SortKey, sortModels, sortsByRange } from "./rows";
import { sparkPoints } from "./Sparkline";

const none: readonly string[] = [];

const modelsOf = (state: ReturnType<typeof useWorkspace.getState>) => state.models;

const noneRefused: ReadonlyMap<string, Refused> = new Map();

type Props = { readonly view: View; readonly refused?: ReadonlyMap<string, Refused> };

export function ModelsTable({ view, refused = noneRefused }: Props) {
  const models = useWorkspace(modelsOf);
  const [sort, setSort] = useState<SortKey>("state");
  const all = useSummaries(sortsByRange(sort) ? "all" : none, view);
  const [removed, setRemoved] = useState<readonly string[]>(none);
  const sorted = useMemo(
    () => sortModels([...models.values(), ...removedModels(removed, models)], sort, all),
    [models, removed, sort, all],
  );
  const place = useRef<HTMLDivElement>(null);
  const { rowHeight, seen } = useRoom(place, sorted.length);
  const scroll = useRef<HTMLDivElement>(null);
  const kept = useKeptScroll("models of the overview", scroll);
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollPaddingEnd: headHeight, // the head scrolls with the rows as far as the library knows
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was measured is wrong when the rows get another height
  useLayoutEffect(() => virtual.measure(), [rowHeight]);
  const rows = useRowFocus(scroll, sorted.length, virtual.scrollToIndex);
  const items = virtual.getVirtualItems();
  const reached = items.some(({ index }) => index === rows.at) ? rows.at : items[0]?.index;
  const shown = items.flatMap(({ index }) => {
    const model = sorted[index];
    return model ? [model.name] : [];
  });
  const asked = shown.length > 0 ? shown : [""]; // of the whole, where no model is left
  const summaries = useSummaries(asked, view, { points: sparkPoints, removed: true });
  useEffect(() => {
    const names = removedOf(summaries, models);
    setRemoved((before) => (before.join("\n") === names.join("\n") ? before : names));
  }, [summaries, models]);
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items[items.length - 1]?.end ?? 0);
  const passed = Math.round((virtual.scrollOffset ?? 0) / rowHeight);
  return (
    <div ref={place} className={css.place} style={{ flexBasis: heightOf(sorted.length) }}>
      <div className={css.tableCard}>
        <div
          ref={kept}
          className={css.rows}
          style={{ maxHeight: seen === undefined ? undefined : headHeight + seen * rowHeight }}
        >
          <table
            className={css.table}
            style={{ "--row": `${rowHeight}px` } as CSSProperties}
            aria-label="Models"
            aria-rowcount={sorted.length + headRows}
          >
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
              <TableGap height={above} />
              {items.map(({ index }) => {
                const model = sorted[index];
                return (
                  model && (
                    <ModelRow
                      key={model.name}
                      model={model}
                      index={index}
                      removed={!models.has(model.name)}
                      inRange={summaries.get(model.name)}
                      refused={refused.get(model.name)}
                      tabbable={index === reached}
                      onFocus={rows.setAt}
                    />
                  )
                );
              })}
              <TableGap height={below} />
            </tbody>
          </table>
        </div>
      </div>
    </div>
  );
}

/** How much room the rows have. */
function useRoom(place: RefObject<HTMLDivElement | null>, count: number): Room {
  const [height, setHeight] = useState<number>();
  useLayoutEffect(() => {
    if (!place.current) return;
    const sizes = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height));
    sizes.observe(place.current);
    return () => sizes.disconnect();
  }, [place]);
  return roomIn(height, count);
}
