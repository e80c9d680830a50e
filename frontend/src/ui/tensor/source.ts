/** Where the elements of a tensor come from: bytes in the page, or parts that are read when they are looked at. */
import { decode, type Element, elementCount, elementSize, type Values } from "../../lib/tensor";

/** A grid of elements: those at start + row * rowStride + column * columnStride, in row-major order of the tensor. */
export type Grid = {
  readonly start: number;
  readonly rows: number;
  readonly rowStride: number;
  readonly columns: number;
  readonly columnStride: number;
};

/** Bytes of a grid. `sizes` are the whole lengths of BYTES elements, where only their beginning is there. */
export type Part = { readonly raw: Uint8Array; readonly sizes: readonly number[] };

export type Tensor = {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly bigint[];
  readonly raw: Uint8Array;
  readonly labels: readonly string[];
  /** Set where the bytes are not in the page: how many elements there are, and how to read some of them. */
  readonly far?: { readonly count: number; readonly read: (grid: Grid) => Promise<Part> };
};

/** A tensor as the views see it. */
export type Shown = {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly labels: readonly string[];
  readonly count: number; // elements that can be looked at
  readonly values?: Values; // all of them, where they are in the page
  readonly read?: (grid: Grid) => Promise<Part>;
};

export function show({ name, datatype, shape, labels, raw, far }: Tensor): Shown {
  const base = { name, datatype, shape: shape.map(Number), labels };
  if (far) return { ...base, count: far.count, read: far.read };
  const values = decode(datatype, raw);
  return { ...base, count: values.length, values };
}

/** The history leaves out the bytes of large tensors. */
export const isKept = ({ shape, count }: Shown): boolean => count > 0 || elementCount(shape) === 0;

/** The elements of a grid. `at` gives undefined behind the last element of the tensor. */
export type Cells = {
  readonly grid: Grid;
  readonly at: (row: number, column: number) => Element | undefined;
  readonly size: (row: number, column: number) => number | undefined; // of an element of which this is the beginning
};

/** The cells of a tensor whose elements are in the page. */
export function near(values: Values, grid: Grid): Cells {
  const { start, rowStride, columnStride } = grid;
  return {
    grid,
    at: (row, column) => {
      const index = start + row * rowStride + column * columnStride;
      return index < values.length ? values.at(index) : undefined;
    },
    size: () => undefined,
  };
}

/** The cells of a part that was read. Only the last row can be shorter than the others. */
export function cellsOf(datatype: string, grid: Grid, { raw, sizes }: Part): Cells {
  const values = decode(datatype, raw);
  const index = (row: number, column: number) => row * grid.columns + column;
  return {
    grid,
    at: (row, column) => (index(row, column) < values.length ? values.at(index(row, column)) : undefined),
    size: (row, column) => {
      const size = sizes[index(row, column)];
      const element = values.at(index(row, column));
      const here = typeof element === "string" ? new TextEncoder().encode(element).length : undefined;
      return size !== undefined && size > (here ?? (element as Uint8Array).length) ? size : undefined;
    },
  };
}

/** A run of elements as values. */
export function run(cells: Cells): Values {
  return { length: cells.grid.columns, at: (index) => cells.at(0, index) as Element };
}

export const runAt = (start: number, length: number): Grid => ({
  start,
  rows: 1,
  rowStride: 0,
  columns: length,
  columnStride: 1,
});

const chunkBytes = 8 << 20;

/** All bytes of a tensor of elements with one size. */
export async function wholeBytes({ raw, datatype, far }: Tensor): Promise<Uint8Array<ArrayBuffer>> {
  if (!far) return new Uint8Array(raw);
  const size = elementSize(datatype);
  const all = new Uint8Array(far.count * size);
  const step = Math.floor(chunkBytes / size);
  for (let start = 0; start < far.count; start += step)
    all.set((await far.read(runAt(start, Math.min(step, far.count - start)))).raw, start * size);
  return all;
}
