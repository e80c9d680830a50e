/** Slices of a tensor, written as numpy does: [0, :, 10:20]. Pure functions. */

/** A part of one axis. An index alone leaves the axis out of the view. */
export type Range = { readonly from: number; readonly to: number; readonly single: boolean };

export const everything = (shape: readonly number[]): Range[] =>
  shape.map((size) => ({ from: 0, to: size, single: false }));

/** Reads a slice. Throws an Error whose message says what is wrong. Axes that are not written are whole. */
export function parseSlice(text: string, shape: readonly number[]): Range[] {
  const inner = text.trim().replace(/^\[/, "").replace(/\]$/, "").trim();
  const parts = inner === "" ? [] : inner.split(",");
  if (parts.length > shape.length)
    throw new Error(`The tensor has ${shape.length} axes; ${parts.length} are written`);
  return shape.map((size, axis) => parseRange((parts[axis] ?? ":").trim(), size, axis));
}

function parseRange(text: string, size: number, axis: number): Range {
  const match = /^(-?\d+)?\s*(:)?\s*(-?\d+)?$/.exec(text);
  if (!match || text === "") throw new Error(`"${text}" is not an index: write 3, 10:20 or :`);
  const [, first, colon, last] = match;
  const clamp = (index: number) => Math.min(size, Math.max(0, index < 0 ? index + size : index));
  if (colon) {
    const from = clamp(first === undefined ? 0 : Number(first));
    return { from, to: Math.max(from, clamp(last === undefined ? size : Number(last))), single: false };
  }
  const index = Number(first) < 0 ? Number(first) + size : Number(first);
  if (index < 0 || index >= size)
    throw new Error(`[${first}] is outside dimension ${axis + 1}: its indices are [0] to [${size - 1}]`);
  return { from: index, to: index + 1, single: true };
}

/** Writes a slice. */
export function sliceText(ranges: readonly Range[], shape: readonly number[]): string {
  const parts = ranges.map(({ from, to, single }, axis) => {
    if (single) return String(from);
    const size = shape[axis] as number;
    return from === 0 && to === size ? ":" : `${from === 0 ? "" : from}:${to === size ? "" : to}`;
  });
  return `[${parts.join(", ")}]`;
}

/** The place of an element in row-major order. */
export function flatIndex(index: readonly number[], shape: readonly number[]): number {
  return index.reduce((flat, at, axis) => flat * (shape[axis] as number) + at, 0);
}

/** The index of the element at a place in row-major order. */
export function indexOf(flat: number, shape: readonly number[]): number[] {
  const index: number[] = [];
  let rest = flat;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis] || 1;
    index.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return index;
}

export const indexText = (flat: number, shape: readonly number[]): string =>
  `[${indexOf(flat, shape).join(", ")}]`;
