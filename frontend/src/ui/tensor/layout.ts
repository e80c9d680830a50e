/** How the elements of a slice lie in the rows and columns of a table. Pure functions. */
import { everything, indexOf, indexText, type Range } from "./slices";
import type { Grid } from "./source";

/** One axis of the table: `size` places, `stride` elements apart. `axis` is that of the tensor. */
type Axis = { readonly size: number; readonly stride: number; readonly axis: number };

/** A table of rows and columns. Of a vector the rows are lines, which are filled one after another. */
export type Layout = {
  readonly start: number;
  readonly rows: number;
  readonly columns: number;
  readonly rowStride: number;
  readonly columnStride: number;
  readonly count: number; // elements
  readonly wrapped: boolean;
  readonly axis: number; // of the tensor, along the columns; -1 for a single element
  readonly from: number; // the index on that axis of the first column
};

/** Columns that people can count in. */
const round = [1, 2, 3, 4, 5, 6, 8, 10, 16, 20, 25, 32, 40, 50, 64];

/** Of more lines nobody sees whether the last one is shorter. */
const fewLines = 16;

/** The columns of a vector of `count` elements where `fit` of them have room: equal lines where they are not too short. */
export function columnsOf(count: number, fit: number): number {
  if (count <= Math.max(1, fit)) return Math.max(1, count);
  const equal = round.filter((columns) => columns <= fit && count % columns === 0).at(-1) ?? 1;
  return equal > fit / 2 && count <= fewLines * fit
    ? equal
    : (round.filter((columns) => columns <= fit).at(-1) ?? 1);
}

/** Lays a slice out. `fit` is how many columns have room; only a vector depends on it. */
export function layoutOf(shape: readonly number[], ranges: readonly Range[], fit: number): Layout {
  const start = ranges.reduce((sum, { from }, axis) => sum + from * strideOf(shape, axis), 0);
  const axes = joined(free(shape, ranges));
  const count = axes.reduce((n, { size }) => n * size, 1);
  const across = axes.at(-1) ?? { size: 1, stride: 1, axis: -1 };
  const down = axes.at(-2);
  const columnStride = across.stride;
  const along = { axis: across.axis, from: ranges[across.axis]?.from ?? 0 };
  if (count === 0 || !down) {
    const columns = columnsOf(count, fit);
    const rows = count === 0 ? 0 : Math.ceil(count / columns);
    return {
      start,
      rows,
      columns,
      rowStride: columns * columnStride,
      columnStride,
      count,
      wrapped: true,
      ...along,
    };
  }
  const { size: rows, stride: rowStride } = down;
  return { start, rows, columns: across.size, rowStride, columnStride, count, wrapped: false, ...along };
}

/** The axes that the table shows. */
function free(shape: readonly number[], ranges: readonly Range[]): Axis[] {
  return ranges
    .map(({ from, to }, axis) => ({ size: to - from, stride: strideOf(shape, axis), axis }))
    .filter(({ size }) => size !== 1);
}

function strideOf(shape: readonly number[], axis: number): number {
  return shape.slice(axis + 1).reduce((n, size) => n * size, 1);
}

/** Axes above the last one that follow each other without a gap are one axis. */
function joined(axes: readonly Axis[]): Axis[] {
  const last = axes.at(-1);
  if (!last) return [];
  const above: Axis[] = [];
  for (const axis of axes.slice(0, -1)) {
    const before = above.at(-1);
    if (before?.stride === axis.size * axis.stride)
      above.splice(-1, 1, { ...axis, size: before.size * axis.size });
    else above.push(axis);
  }
  return [...above, last];
}

/** Whether a slice has more than rows and columns: then it must choose one index of the other axes. */
export const isTooDeep = (shape: readonly number[], ranges: readonly Range[]): boolean =>
  joined(free(shape, ranges)).length > 2;

/** The page of a table that begins at a row and a column. */
export function page(
  layout: Layout,
  row: number,
  column: number,
  most: { rows: number; columns: number },
): Grid {
  return {
    start: layout.start + row * layout.rowStride + column * layout.columnStride,
    rows: Math.min(most.rows, layout.rows - row),
    rowStride: layout.rowStride,
    columns: Math.min(most.columns, layout.columns - column),
    columnStride: layout.columnStride,
  };
}

export const wholeTable = (shape: readonly number[], fit: number): Layout =>
  layoutOf(shape, everything(shape), fit);

/** The head of a row: the index of its first element, of a table with columns without the axis along them. */
export function rowName(layout: Layout, shape: readonly number[], row: number): string {
  const first = layout.start + row * layout.rowStride;
  if (layout.wrapped) return layout.rows > 1 ? indexText(first, shape) : "";
  const index = indexOf(first, shape);
  return `[${index.filter((_, axis) => axis !== layout.axis).join(", ")}]`;
}

/** The head of a column: its index, or its place in each line of a vector. */
export function columnName({ wrapped, rows, columns, from }: Layout, column: number): string {
  if (wrapped && columns === 1) return "";
  return wrapped && rows > 1 ? `+${column}` : `[${from + column}]`;
}

/** The row and column of an element in the table of the whole tensor. */
export function placeOf({ columns }: Layout, flat: number): { row: number; column: number } {
  return { row: Math.floor(flat / columns), column: flat % columns };
}
