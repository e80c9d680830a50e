/** Pictures to tensors: pure functions from pixels and settings to values. */
import { isFloat, largestOf, overflows } from "./floats";
import { clampTo, decode, encode } from "./tensor";

/** Pixels as a canvas gives them: red, green, blue, alpha, row by row. */
export type Pixels = {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray | Uint8Array;
};

export type Layout = "HWC" | "CHW";

/** Grey, RGB, or RGBA. */
export type Channels = 1 | 3 | 4;

/** How a picture of other proportions is brought to the size: whole with bars beside it, cut to fill it, or stretched. */
export type Fit = "letterbox" | "fill" | "stretch";

/** How a picture becomes the values of a tensor: (pixel × scale − mean) ÷ std, pixel from 0 to 255. */
export type Conversion = {
  readonly width: number;
  readonly height: number;
  readonly fit: Fit;
  readonly bars: number; // how bright the bars are to the model, 0 … 255
  readonly channels: Channels;
  readonly layout: Layout;
  readonly invert: boolean;
  readonly scale: number;
  readonly mean: readonly number[];
  readonly std: readonly number[];
};

/** Where the picture's sides are in a shape. */
export type ImageShape = Pick<Conversion, "width" | "height" | "channels" | "layout">;

export const leastSide = 4; // a shorter side is that of something else
export const mostSide = 4096; // of a picture that is read or made: canvases of WebKit refuse huge ones

const flexible = 224; // for sides that the model leaves open

/**
 * Guesses how a shape holds a picture: [.., H, W], [.., H, W, C], [.., C, H, W] with one, three or four channels, or a
 * flat square such as 64 or 784. The type tells open sides of four channels from lists of boxes, which have four numbers too.
 */
export function guessImage(
  shape: readonly bigint[] | readonly number[],
  datatype?: string,
): ImageShape | undefined {
  const dims = Array.from(shape, Number);
  while (dims.length > 3 && (dims[0] === 1 || dims[0] === -1)) dims.shift();
  if (dims.length === 4 && dims.every((d) => d !== 0)) dims.shift();
  if (dims.length === 3) return planes(dims, datatype);
  if (dims.length === 2 && !isBatchOfFlat(dims)) return plane(dims[0] as number, dims[1] as number);
  return square(dims[dims.length - 1] ?? 0);
}

/** Where height and width are in a shape that holds a picture. */
export function sidesOf(shape: readonly bigint[]): readonly [height: number, width: number] {
  const last = Number(shape.at(-1));
  const found = guessImage(shape, "UINT8");
  const channelsLast = last === 1 || last === 3 || (found?.channels === 4 && found.layout === "HWC");
  const end = shape.length >= 3 && channelsLast ? shape.length - 1 : shape.length;
  return [end - 2, end - 1];
}

/** [-1, 64] or [1, 784]: rows of a batch, rather than a picture with one row. */
function isBatchOfFlat(dims: number[]): boolean {
  return (dims[0] as number) <= 1 || (dims[1] as number) / (dims[0] as number) > 8;
}

function planes(dims: number[], datatype?: string): ImageShape | undefined {
  const [a, b, c] = dims as [number, number, number];
  if (c === 3 || c === 1) return sized(b, a, c, "HWC");
  if (a === 3 || a === 1) return sized(c, b, a, "CHW");
  return withAlpha(dims, datatype) ?? (a === -1 ? plane(b, c) : undefined);
}

const leastWithAlpha = 16; // a shorter side is that of a list of boxes

function withAlpha(dims: number[], datatype?: string): ImageShape | undefined {
  const [a, b, c] = dims as [number, number, number];
  if ((a === -1 || b === -1 || c === -1) && datatype !== "UINT8") return undefined;
  const found = c === 4 ? sized(b, a, 4, "HWC") : a === 4 ? sized(c, b, 4, "CHW") : undefined;
  return found && Math.min(found.width, found.height) >= leastWithAlpha ? found : undefined;
}

function plane(height: number, width: number): ImageShape | undefined {
  return sized(width, height, 1, "HWC");
}

function sized(width: number, height: number, channels: Channels, layout: Layout): ImageShape | undefined {
  if ((width === -1) !== (height === -1)) return undefined; // a sequence of rows, such as a spectrogram
  const sides = [width, height].map((side) => (side === -1 ? flexible : side));
  if (sides.some((side) => side < leastSide || side > mostSide)) return undefined;
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
  return {
    ...shape,
    fit: "letterbox",
    bars: 0,
    invert: false,
    scale: top / 255,
    mean: each(0),
    std: each(1),
  };
}

export type Size = { readonly width: number; readonly height: number };

/** A part of a picture; its edges may lie within pixels. */
type Window = Size & { readonly left: number; readonly top: number };

/** Averages every pixel that a target pixel covers, by area; enlarging repeats pixels. One channel, 0 … 255. */
export function resizeArea(plane: Float32Array, from: Size, to: Size, part?: Window): Float32Array {
  const { left, top, width, height } = part ?? { left: 0, top: 0, width: from.width, height: from.height };
  const columns = spans({ from: left, length: width, end: from.width }, to.width);
  const rows = spans({ from: top, length: height, end: from.height }, to.height);
  const out = new Float32Array(to.width * to.height);
  for (let y = 0; y < to.height; y++) {
    for (let x = 0; x < to.width; x++)
      out[y * to.width + x] = mean(plane, from.width, rows[y] as Span, columns[x] as Span);
  }
  return out;
}

type Stretch = { readonly from: number; readonly length: number; readonly end: number };
type Span = { readonly start: number; readonly weights: number[]; readonly total: number };

/** For each target pixel: the source pixels under it, and how much of each. */
function spans({ from, length, end }: Stretch, to: number): Span[] {
  return Array.from({ length: to }, (_, i) => {
    const low = Math.min(from + (i * length) / to, end - 1e-6);
    const high = Math.min(from + ((i + 1) * length) / to, end);
    const start = Math.floor(low);
    const weights: number[] = [];
    for (let at = start; at < high - 1e-9; at++) weights.push(Math.min(at + 1, high) - Math.max(at, low));
    return { start, weights, total: high - low };
  });
}

function mean(plane: Float32Array, width: number, row: Span, column: Span): number {
  const down = row.weights;
  const across = column.weights;
  let sum = 0;
  for (let dy = 0; dy < down.length; dy++) {
    const base = (row.start + dy) * width + column.start;
    let line = 0;
    for (let dx = 0; dx < across.length; dx++) line += (across[dx] as number) * (plane[base + dx] as number);
    sum += (down[dy] as number) * line;
  }
  return sum / (row.total * column.total);
}

/**
 * One plane for each channel, 0 … 255. Four channels have alpha as it is; grey, which is Rec. 601 luma, and RGB are laid over
 * white where the picture is transparent.
 */
export function toPlanes(pixels: Pixels, channels: Channels): Float32Array[] {
  const count = pixels.width * pixels.height;
  const { data } = pixels;
  const planes = Array.from({ length: channels }, () => new Float32Array(count));
  for (let i = 0; i < count; i++) {
    const alpha = (data[i * 4 + 3] as number) / 255;
    const over = (c: number) => (data[i * 4 + c] as number) * alpha + 255 * (1 - alpha);
    if (channels === 4)
      for (let c = 0; c < 4; c++) (planes[c] as Float32Array)[i] = data[i * 4 + c] as number;
    else if (channels === 3) for (let c = 0; c < 3; c++) (planes[c] as Float32Array)[i] = over(c);
    else (planes[0] as Float32Array)[i] = 0.299 * over(0) + 0.587 * over(1) + 0.114 * over(2);
  }
  return planes;
}

/** Whether any pixel lets something through. */
export function isTransparent({ data }: Pixels): boolean {
  for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return true;
  return false;
}

/** Whether the picture has other proportions than the tensor, by more than rounding makes. */
export function differs({ width, height }: Size, to: Size): boolean {
  const scale = Math.min(to.width / width, to.height / height);
  return to.width - width * scale >= 1 || to.height - height * scale >= 1;
}

/** One channel at the size of the tensor. */
export function fitPlane(plane: Float32Array, from: Size, conversion: Conversion): Float32Array {
  const { width, height, fit } = conversion;
  if (fit === "stretch" || !differs(from, conversion)) return resizeArea(plane, from, conversion);
  if (fit === "fill") {
    const scale = Math.max(width / from.width, height / from.height);
    const part = { width: width / scale, height: height / scale };
    const left = (from.width - part.width) / 2;
    return resizeArea(plane, from, conversion, { ...part, left, top: (from.height - part.height) / 2 });
  }
  const scale = Math.min(width / from.width, height / from.height);
  const inner = {
    width: Math.max(1, Math.round(from.width * scale)),
    height: Math.max(1, Math.round(from.height * scale)),
  };
  return withBars(resizeArea(plane, from, inner), inner, conversion);
}

function withBars(plane: Float32Array, inner: Size, conversion: Conversion): Float32Array {
  const { width, height, bars, invert } = conversion;
  const out = new Float32Array(width * height).fill(invert ? 255 - bars : bars); // inverted with the rest later
  const left = Math.floor((width - inner.width) / 2);
  const top = Math.floor((height - inner.height) / 2);
  for (let y = 0; y < inner.height; y++)
    out.set(plane.subarray(y * inner.width, (y + 1) * inner.width), (top + y) * width + left);
  return out;
}

/** The channels at the size of the tensor. Colours count by their alpha, so that what nobody sees does not tint the edges. */
function fitted(pixels: Pixels, conversion: Conversion): Float32Array[] {
  const [red, green, blue, alpha] = toPlanes(pixels, conversion.channels) as [
    Float32Array,
    ...Float32Array[],
  ];
  const planes = [red, green, blue].filter((plane) => plane !== undefined);
  if (!alpha) return planes.map((plane) => fitPlane(plane, pixels, conversion));
  const clear = { ...conversion, bars: 0, invert: false };
  const seen = fitPlane(alpha, pixels, clear);
  const unseen = conversion.invert ? 255 - conversion.bars : conversion.bars;
  const colours = planes.map((plane) => {
    const weighed = fitPlane(
      plane.map((value, i) => value * (alpha[i] as number)),
      pixels,
      clear,
    );
    return weighed.map((value, i) => (seen[i] ? value / (seen[i] as number) : unseen));
  });
  return [...colours, seen];
}

/** The whole way: pixels to the bytes of one tensor element of the batch. */
export function convert(pixels: Pixels, conversion: Conversion, datatype: string): Uint8Array<ArrayBuffer> {
  const values = arrange(fitted(pixels, conversion), conversion, datatype);
  const tooLarge = largestIn(values);
  if (overflows(datatype, tooLarge))
    throw new Error(
      `The conversion gives ${tooLarge.toPrecision(3)}: ${datatype} ends at ${largestOf(datatype)}. Choose a smaller scale`,
    );
  return encode(datatype, values);
}

/** The value that is the farthest from 0. */
function largestIn(values: Float64Array): number {
  let found = 0;
  for (const value of values) if (Math.abs(value) > Math.abs(found)) found = value;
  return found;
}

/** The picture that is in converted bytes: what the model gets, with its range undone so that it can be looked at. */
export function preview(raw: Uint8Array, conversion: Conversion, datatype: string): Pixels {
  const { width, height, channels, layout, scale, mean, std } = conversion;
  const values = decode(datatype, raw);
  const count = width * height;
  const data = new Uint8ClampedArray(count * 4).fill(255);
  for (let i = 0; i < count; i++) {
    for (let c = 0; c < Math.max(3, channels); c++) {
      const channel = channels === 1 ? 0 : c;
      const value = Number(values.at(layout === "HWC" ? i * channels + channel : channel * count + i));
      data[i * 4 + c] = (value * (std[channel] as number) + (mean[channel] as number)) / scale;
    }
  }
  return { width, height, data };
}

/** Resized planes to the values of the tensor, in its layout. */
export function arrange(planes: Float32Array[], conversion: Conversion, datatype: string): Float64Array {
  const count = conversion.width * conversion.height;
  const values = new Float64Array(count * planes.length);
  for (const [c, plane] of planes.entries()) {
    const mean = conversion.mean[c] ?? 0;
    const std = conversion.std[c] ?? 1;
    const inverted = conversion.invert && c < 3; // alpha is neither dark nor light
    for (let i = 0; i < count; i++) {
      const pixel = inverted ? 255 - (plane[i] as number) : (plane[i] as number);
      const at = conversion.layout === "HWC" ? i * planes.length + c : c * count + i;
      values[at] = clampTo(datatype, (pixel * conversion.scale - mean) / std);
    }
  }
  return values;
}
