/** Triton's data types and the bytes of a tensor: little-endian, row major, as the KServe protocol sends them. */

export type Datatype =
  | "BOOL"
  | "UINT8"
  | "UINT16"
  | "UINT32"
  | "UINT64"
  | "INT8"
  | "INT16"
  | "INT32"
  | "INT64"
  | "FP16"
  | "BF16"
  | "FP32"
  | "FP64"
  | "BYTES";

/** One element as people see it: integers of 64 bits stay exact as bigint. */
export type Element = number | bigint | boolean | string;

type Codec = {
  readonly size: number;
  readonly get: (view: DataView, at: number) => Element;
  readonly set: (view: DataView, at: number, value: Element) => void;
};

const numeric = (
  size: number,
  get: Codec["get"],
  set: (v: DataView, at: number, n: number) => void,
): Codec => ({
  size,
  get,
  set: (view, at, value) => set(view, at, Number(value)),
});

const big = (get: Codec["get"], set: (v: DataView, at: number, n: bigint) => void): Codec => ({
  size: 8,
  get,
  set: (view, at, value) => set(view, at, toBigInt(value)),
});

/** Every type of fixed size. BYTES is apart: its elements carry their own length. */
const codecs: Record<Exclude<Datatype, "BYTES">, Codec> = {
  BOOL: numeric(
    1,
    (v, at) => v.getUint8(at) !== 0,
    (v, at, n) => v.setUint8(at, n ? 1 : 0),
  ),
  UINT8: numeric(
    1,
    (v, at) => v.getUint8(at),
    (v, at, n) => v.setUint8(at, n),
  ),
  UINT16: numeric(
    2,
    (v, at) => v.getUint16(at, true),
    (v, at, n) => v.setUint16(at, n, true),
  ),
  UINT32: numeric(
    4,
    (v, at) => v.getUint32(at, true),
    (v, at, n) => v.setUint32(at, n, true),
  ),
  UINT64: big(
    (v, at) => v.getBigUint64(at, true),
    (v, at, n) => v.setBigUint64(at, n, true),
  ),
  INT8: numeric(
    1,
    (v, at) => v.getInt8(at),
    (v, at, n) => v.setInt8(at, n),
  ),
  INT16: numeric(
    2,
    (v, at) => v.getInt16(at, true),
    (v, at, n) => v.setInt16(at, n, true),
  ),
  INT32: numeric(
    4,
    (v, at) => v.getInt32(at, true),
    (v, at, n) => v.setInt32(at, n, true),
  ),
  INT64: big(
    (v, at) => v.getBigInt64(at, true),
    (v, at, n) => v.setBigInt64(at, n, true),
  ),
  FP16: numeric(
    2,
    (v, at) => halfToNumber(v.getUint16(at, true)),
    (v, at, n) => v.setUint16(at, numberToHalf(n), true),
  ),
  BF16: numeric(
    2,
    (v, at) => bfloatToNumber(v.getUint16(at, true)),
    (v, at, n) => v.setUint16(at, numberToBfloat(n), true),
  ),
  FP32: numeric(
    4,
    (v, at) => v.getFloat32(at, true),
    (v, at, n) => v.setFloat32(at, n, true),
  ),
  FP64: numeric(
    8,
    (v, at) => v.getFloat64(at, true),
    (v, at, n) => v.setFloat64(at, n, true),
  ),
};

/** Whether the type is one that a tensor may have on the wire. */
export function isDatatype(name: string): name is Datatype {
  return name === "BYTES" || Object.hasOwn(codecs, name);
}

/** Bytes of one element; 0 for BYTES and for names that are no type. */
export function elementSize(datatype: string): number {
  return codecOf(datatype)?.size ?? 0;
}

function codecOf(datatype: string): Codec | undefined {
  return Object.hasOwn(codecs, datatype) ? codecs[datatype as keyof typeof codecs] : undefined;
}

export function isFloat(datatype: string): boolean {
  return datatype === "FP16" || datatype === "BF16" || datatype === "FP32" || datatype === "FP64";
}

/** How many elements a shape holds: 1 for a scalar, NaN while a dimension is not settled. */
export function elementCount(shape: readonly number[]): number {
  return shape.some((d) => d < 0) ? Number.NaN : shape.reduce((n, d) => n * d, 1);
}

/** A decoded tensor. Elements are read when asked for, so that a large one costs nothing until it is looked at. */
export type Values = { readonly length: number; at(index: number): Element };

/** Reads the bytes of a tensor. Bytes beyond the last whole element are left out. */
export function decode(datatype: string, raw: Uint8Array): Values {
  if (datatype === "BYTES") return decodeBytes(raw);
  const codec = codecOf(datatype);
  if (!codec) return { length: 0, at: () => Number.NaN };
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  return {
    length: Math.floor(raw.byteLength / codec.size),
    at: (index) => codec.get(view, index * codec.size),
  };
}

/** Writes elements as the wire wants them. Integers out of range wrap, as a cast does; `complaint` in tensor-json tells which would. */
export function encode(datatype: string, values: ArrayLike<Element>): Uint8Array<ArrayBuffer> {
  if (datatype === "BYTES") return encodeBytes(values);
  const codec = codecOf(datatype);
  if (!codec) throw new Error(`${datatype || "An empty name"} is no tensor type`);
  const raw = new Uint8Array(values.length * codec.size);
  const view = new DataView(raw.buffer);
  for (let i = 0; i < values.length; i++) codec.set(view, i * codec.size, values[i] as Element);
  return raw;
}

const ranges: Record<string, [number, number]> = {
  UINT8: [0, 255],
  UINT16: [0, 65535],
  UINT32: [0, 2 ** 32 - 1],
  UINT64: [0, 2 ** 64],
  INT8: [-128, 127],
  INT16: [-32768, 32767],
  INT32: [-(2 ** 31), 2 ** 31 - 1],
  INT64: [-(2 ** 63), 2 ** 63],
};

/** Smallest and largest value of an integer type; undefined for the others. */
export function integerRange(datatype: string): [number, number] | undefined {
  return ranges[datatype];
}

/** Rounds and clamps a number into what the type can hold, so that a picture never wraps around. */
export function clampTo(datatype: string, value: number): number {
  const range = ranges[datatype];
  if (!range) return value;
  return Math.min(range[1], Math.max(range[0], Math.round(value)));
}

function toBigInt(value: Element): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "string") return BigInt(value);
  return BigInt(Math.trunc(Number(value)));
}

const strict = new TextDecoder("utf-8", { fatal: true });

/** Text where the bytes are UTF-8, otherwise hexadecimal after "0x". */
function bytesToText(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return `0x${Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("")}`;
  }
}

function decodeBytes(raw: Uint8Array): Values {
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  const starts: number[] = [];
  let at = 0;
  while (at + 4 <= raw.byteLength) {
    const end = at + 4 + view.getUint32(at, true);
    if (end > raw.byteLength) break;
    starts.push(at);
    at = end;
  }
  const text = (start: number) =>
    bytesToText(raw.subarray(start + 4, start + 4 + view.getUint32(start, true)));
  return { length: starts.length, at: (index) => text(starts[index] as number) };
}

function encodeBytes(values: ArrayLike<Element>): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts = Array.from(values, (v) => encoder.encode(String(v)));
  const raw = new Uint8Array(parts.reduce((n, p) => n + 4 + p.length, 0));
  const view = new DataView(raw.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length, true);
    raw.set(part, at + 4);
    at += 4 + part.length;
  }
  return raw;
}

const scratch = new DataView(new ArrayBuffer(4));

function bfloatToNumber(bits: number): number {
  scratch.setUint32(0, bits << 16);
  return scratch.getFloat32(0);
}

/** Rounds to nearest even, as ONNX Runtime does. */
function numberToBfloat(value: number): number {
  if (Number.isNaN(value)) return 0x7fc0;
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function numberToHalf(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size >= 65520) return sign | 0x7c00; // rounds beyond the largest half, 65504
  if (size < 2 ** -14) return sign | roundEven(size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  const bits = roundEven((size / 2 ** exponent - 1) * 1024) + ((exponent + 15) << 10); // a carry runs into the exponent
  return sign | bits;
}

function roundEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}
