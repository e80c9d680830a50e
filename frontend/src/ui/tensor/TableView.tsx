/** A tensor as a table, page by page. A vector fills the width line by line; of more axes a slice can be chosen. */
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { cx } from "../../lib/cx";
import { grouped } from "../../lib/format";
import { CellValue, cellText, cellTitle } from "./cell";
import { columnName, type Layout, layoutOf, page, placeOf, rowName, wholeTable } from "./layout";
import { most } from "./pages";
import { SliceBar } from "./SliceBar";
import { everything, indexText, type Range } from "./slices";
import { type Cells, type Grid, runAt, type Shown } from "./source";
import css from "./tensor.module.css";
import { useCells } from "./useCells";
import { useColumnsInSight } from "./useColumnsInSight";
import { useWidth } from "./useWidth";

const shortText = 12; // characters; longer texts of a vector are read one below the other
const leastText = 3; // characters: the head of a column
const sample = 256; // elements whose length decides how many columns have room
const characterWidth = 7.3;
const cellPadding = 17;
const usualWidth = 390;
const frame = 2; // the lines around the table

type Place = { readonly row: number; readonly column: number; readonly found?: number };
const beginning: Place = { row: 0, column: 0 };

export function TableView({ shown }: { readonly shown: Shown }) {
  const box = useRef<HTMLDivElement>(null);
  const fit = useFit(shown, useWidth(box, usualWidth));
  const [ranges, setRanges] = useState<readonly Range[]>(() => everything(shown.shape));
  const [place, setPlace] = useState<Place>(beginning);
  const layout = useMemo(() => layoutOf(shown.shape, ranges, fit), [shown.shape, ranges, fit]);
  const row = Math.min(place.row, Math.max(0, layout.rows - 1));
  const grid = useMemo(() => page(layout, row, place.column, most), [layout, row, place.column]);
  const { cells, pending, error } = useCells(shown, grid);
  const goTo = (flat: number) => {
    const whole = wholeTable(shown.shape, fit);
    const at = placeOf(whole, flat);
    setRanges(everything(shown.shape));
    setPlace({ row: pageOf(at.row, most.rows), column: pageOf(at.column, most.columns), found: flat });
  };
  if (shown.count === 0) return <div className={css.note}>{emptyPhrase(shown.shape)}</div>;
  return (
    <div ref={box} className={css.tableBox}>
      {shown.count > most.columns && (
        <SliceBar
          shape={shown.shape}
          ranges={ranges}
          layout={layout}
          row={row}
          column={place.column}
          onSlice={(next) => {
            setRanges(next);
            setPlace(beginning);
          }}
          onGoTo={goTo}
          onPage={(next) => setPlace({ ...place, ...next, found: undefined })}
        />
      )}
      {error !== undefined && (
        <p className={css.error}>{error instanceof Error ? error.message : String(error)}</p>
      )}
      {cells && <Table shown={shown} layout={layout} cells={cells} found={place.found} pending={pending} />}
    </div>
  );
}

const pageOf = (index: number, size: number) => Math.floor(index / size) * size;

/** Elements from all over a tensor. */
function spread(count: number): Grid {
  const columns = Math.min(sample, count);
  return { ...runAt(0, columns), columnStride: Math.max(1, Math.floor(count / sample)) };
}

/** How many columns have room beside each other, judged by some of the elements. */
function useFit(shown: Shown, width: number): number {
  const some = useMemo(() => spread(shown.count), [shown]);
  const { cells } = useCells(shown, some);
  const lengths = useMemo(() => {
    const columns = cells ? Array.from({ length: cells.grid.columns }, (_, i) => cells.at(0, i)) : [];
    return columns.map((value) => (value === undefined ? 0 : cellText(shown.datatype, value).length));
  }, [cells, shown.datatype]);
  const longest = Math.max(leastText, ...lengths);
  if (shown.datatype === "BYTES" && longest > shortText) return 1;
  if (lengths.length === shown.count && lineWidth(lengths) <= width) return shown.count;
  const head = indexText(shown.count - 1, shown.shape).length * characterWidth + cellPadding;
  return Math.max(1, Math.floor((width - head - frame) / columnWidth(longest)));
}

const columnWidth = (length: number): number => Math.min(length, 48) * characterWidth + cellPadding;

/** How wide all elements are in one line: each column as its element or its head, and before them no index. */
const lineWidth = (lengths: readonly number[]): number =>
  lengths.reduce((sum, length, i) => sum + columnWidth(Math.max(length, `[${i}]`.length)), frame);

function emptyPhrase(shape: readonly number[]): string {
  const axis = shape.indexOf(0);
  return axis < 0 ? "No elements." : `No elements: dimension ${axis + 1} has size 0.`;
}

type TableProps = {
  readonly shown: Shown;
  readonly layout: Layout;
  readonly cells: Cells;
  readonly found: number | undefined;
  readonly pending: boolean;
};

function Table({ shown, layout, cells, found, pending }: TableProps) {
  const { grid } = cells;
  const from = startOf(layout, grid);
  const columns = Array.from({ length: grid.columns }, (_, i) => i);
  const rows = Array.from({ length: grid.rows }, (_, i) => i);
  const indexed = !layout.wrapped || layout.rows > 1; // the heads of a single line have the indices
  const text = shown.datatype === "BYTES";
  const box = useRef<HTMLElement>(null);
  // Another page or slice begins at its first row and column; an element that was asked for scrolls itself into view.
  const before = useRef(grid);
  useLayoutEffect(() => {
    if (before.current !== grid && found === undefined) box.current?.scrollTo?.(0, 0);
    before.current = grid;
  }, [grid, found]);
  const seen = useColumnsInSight(box, cells);
  const place = (column: number) => columnName(layout, from.column + column);
  return (
    <div className={css.tableEdge} data-more={seen?.more === true}>
      <section
        ref={box}
        className={cx(css.tableScroll, pending && css.pending)}
        aria-label={`Values of ${shown.name}`}
        aria-busy={pending}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
        tabIndex={0}
      >
        <table className={cx(css.table, text && css.texts, text && layout.columns === 1 && css.wrapped)}>
          {(!layout.wrapped || layout.columns > 1) && (
            <thead>
              <tr>
                {indexed && (
                  <th className={css.index}>
                    <span className="visually-hidden">Index</span>
                  </th>
                )}
                {columns.map((column) => (
                  <th key={column}>{columnName(layout, from.column + column)}</th>
                ))}
              </tr>
            </thead>
          )}
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                {indexed && <th>{rowName(layout, shown.shape, from.row + row)}</th>}
                {columns.map((column) => (
                  <Cell
                    key={column}
                    shown={shown}
                    layout={layout}
                    cells={cells}
                    row={row}
                    column={column}
                    found={found}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {seen && (
        <p className={css.note}>
          Columns {place(seen.first)} to {place(seen.last)} of {grouped(layout.columns)} are in sight
        </p>
      )}
    </div>
  );
}

/** The row and column of the layout at which a page begins. */
function startOf({ start, rowStride, columnStride }: Layout, grid: Grid): { row: number; column: number } {
  const away = grid.start - start;
  const row = Math.floor(away / rowStride);
  return { row, column: Math.round((away - row * rowStride) / columnStride) };
}

type CellProps = Omit<TableProps, "pending"> & { readonly row: number; readonly column: number };

function Cell({ shown, layout, cells, row, column, found }: CellProps) {
  const { start, rowStride, columnStride } = cells.grid;
  const flat = start + row * rowStride + column * columnStride;
  const beyond = layout.wrapped && (flat - layout.start) / layout.columnStride >= layout.count;
  const value = beyond ? undefined : cells.at(row, column);
  if (value === undefined) return <td />;
  return (
    <td
      ref={
        flat === found
          ? (element) => element?.scrollIntoView({ block: "nearest", inline: "nearest" })
          : undefined
      }
      data-found={flat === found}
      title={cellTitle(indexText(flat, shown.shape), shown.datatype, value)}
    >
      <CellValue
        datatype={shown.datatype}
        value={value}
        size={cells.size(row, column)}
        wraps={layout.columns === 1}
      />
    </td>
  );
}
