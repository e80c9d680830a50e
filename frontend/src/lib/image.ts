/** Pictures to tensors: pure functions from pixels and settings to values. */
import { isFloat } from "./floats";
import { clampTo, encode } from "./tensor";

/** Pixels as a canvas gives them: red, green, blue, alpha, row by row. */
export type Pixels = {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray | Uint8Array;
};

export type Layout = "HWC" | "CHW";

/** How a picture becomes the values of a tensor: (pixel × scale − mean) ÷ std, pixel from 0 to 255. */
export type Conversion = {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  readonly layout: Layout;
  readonly invert: boolean;
  readonly scale: number;
  readonly mean: readonly number[];
  readonly std: readonly number[];
};

/** Where the picture's sides are in a shape. */
export type ImageShape = Pick<Conversion, "width" | "height" | "channels" | "layout">;

const maxSide = 4096;

/**
 * Guesses how a shape holds a picture: [.., H, W], [.., H, W, C], [.., C, H, W] with one or three channels, or a
 * flat square such as 64 or 784. `flexible` is what to take for sides that the model leaves open (-1).
 */
export function guessImage(
  shape: readonly bigint[] | readonly number[],
  flexible = 224,
): ImageShape | undefined {
  const dims = Array.from(shape, Number);
  while (dims.length > 3 && (dims[0] === 1 || dims[0] === -1)) dims.shift();
  if (dims.length === 4 && dims.every((d) => d !== 0)) dims.shift();
  if (dims.length === 3) return planes(dims, flexible);
  if (dims.length === 2 && !isBatchOfFlat(dims)) return plane(dims[0] as number, dims[1] as number, flexible);
  return square(dims[dims.length - 1] ?? 0);
}

/** [-1, 64] or [1, 784]: rows of a batch, rather than a picture with one row. */
function isBatchOfFlat(dims: number[]): boolean {
  return (dims[0] as number) <= 1 || (dims[1] as number) / (dims[0] as number) > 8;
}

function planes(dims: number[], flexible: number): ImageShape | undefined {
  const [a, b, c] = dims as [number, number, number];
  if (c === 3 || c === 1) return sized(b, a, c, "HWC", flexible);
  if (a === 3 || a === 1) return sized(c, b, a, "CHW", flexible);
  return a === -1 ? plane(b, c, flexible) : undefined;
}

function plane(height: number, width: number, flexible: number): ImageShape | undefined {
  return sized(width, height, 1, "HWC", flexible);
}

function sized(
  width: number,
  height: number,
  channels: 1 | 3,
  layout: Layout,
  flexible: number,
): ImageShape | undefined {
  const sides = [width, height].map((side) => (side === -1 ? flexible : side));
  if (sides.some((side) => side < 4 || side > maxSide)) return undefined;
  return { width: sides[0] as number, height: sides[1] as number, channels, layout };
}

function square(count: number): ImageShape | undefined {
  const side = Math.sqrt(count);
  return Number.isInteger(side) && side >= 8 && side <= 256
    ? { width: side, height: side, channels: 1, layout: "HWC" }
    : undefined;
}

/**
 * Settings to begin with: 0 … 255 for integers, 0 … 1 for floats; 0 … 16 for an 8 × 8 grey picture, which is the
 * range of scikit-learn's handwritten digits.
 */
export function defaultConversion(shape: ImageShape, datatype: string): Conversion {
  const top = !isFloat(datatype) ? 255 : shape.width === 8 && shape.height === 8 ? 16 : 1;
  const each = (value: number) => new Array<number>(shape.channels).fill(value);
  return { ...shape, invert: false, scale: top / 255, mean: each(0), std: each(1) };
}

/** Averages every pixel that a target pixel covers, by area; enlarging repeats pixels. One channel, 0 … 255. */
export function resizeArea(
  plane: Float32Array,
  from: { width: number; height: number },
  to: { width: number; height: number },
): Float32Array {
  const columns = spans(from.width, to.width);
  const rows = spans(from.height, to.height);
  const out = new Float32Array(to.width * to.height);
  for (const [y, row] of rows.entries()) {
    for (const [x, column] of columns.entries()) out[y * to.width + x] = mean(plane, from.width, row, column);
  }
  return out;
}

type Span = { readonly start: number; readonly weights: number[]; readonly total: number };

/** For each target pixel: the source pixels under it, and how much of each. */
function spans(from: number, to: number): Span[] {
  return Array.from({ length: to }, (_, i) => {
    const low = (i * from) / to;
    const high = ((i + 1) * from) / to;
    const start = Math.floor(low);
    const weights: number[] = [];
    for (let at = start; at < high - 1e-9; at++) weights.push(Math.min(at + 1, high) - Math.max(at, low));
    return { start, weights, total: high - low };
  });
}

function mean(plane: Float32Array, width: number, row: Span, column: Span): number {
  let sum = 0;
  for (const [dy, wy] of row.weights.entries()) {
    const base = (row.start + dy) * width + column.start;
    for (const [dx, wx] of column.weights.entries()) sum += wy * wx * (plane[base + dx] as number);
  }
  return sum / (row.total * column.total);
}

/** One plane for each channel, 0 … 255, laid over white where the picture is transparent. Grey is Rec. 601 luma. */
export function toPlanes(pixels: Pixels, channels: 1 | 3): Float32Array[] {
  const count = pixels.width * pixels.height;
  const planes = Array.from({ length: channels }, () => new Float32Array(count));
  for (let i = 0; i < count; i++) {
    const alpha = (pixels.data[i * 4 + 3] as number) / 255;
    const over = (c: number) => (pixels.data[i * 4 + c] as number) * alpha + 255 * (1 - alpha);
    if (channels === 3) for (let c = 0; c < 3; c++) (planes[c] as Float32Array)[i] = over(c);
    else (planes[0] as Float32Array)[i] = 0.299 * over(0) + 0.587 * over(1) + 0.114 * over(2);
  }
  return planes;
}

/** The whole way: pixels to the bytes of one tensor element of the batch. */
export function convert(pixels: Pixels, conversion: Conversion, datatype: string): Uint8Array<ArrayBuffer> {
  const planes = toPlanes(pixels, conversion.channels).map((plane) => resizeArea(plane, pixels, conversion));
  return encode(datatype, arrange(planes, conversion, datatype));
}

/** Resized planes to the values of the tensor, in its layout. */
export function arrange(planes: Float32Array[], conversion: Conversion, datatype: string): Float64Array {
  const count = conversion.width * conversion.height;
  const values = new Float64Array(count * planes.length);
  for (const [c, plane] of planes.entries()) {
    const mean = conversion.mean[c] ?? 0;
    const std = conversion.std[c] || 1;
    for (let i = 0; i < count; i++) {
      const pixel = conversion.invert ? 255 - (plane[i] as number) : (plane[i] as number);
      const at = conversion.layout === "HWC" ? i * planes.length + c : c * count + i;
      values[at] = clampTo(datatype, (pixel * conversion.scale - mean) / std);
    }
  }
  return values;
}
