/** Triton's data types and the bytes of a tensor: little-endian, row major, as the KServe protocol sends them. */
import { bfloatToNumber, halfToNumber, numberToBfloat, numberToHalf } from "./floats";

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

/**
 * One element as people see it: integers of 64 bits stay exact as bigint; an element of BYTES is a string where its
 * bytes are UTF-8, and otherwise the bytes themselves.
 */
export type Element = number | bigint | boolean | string | Uint8Array;

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
  if (!codec) throw new Error(`${datatype || "An empty name"} is not a tensor type`);
  const raw = new Uint8Array(values.length * codec.size);
  const view = new DataView(raw.buffer);
  for (let i = 0; i < values.length; i++) codec.set(view, i * codec.size, values[i] as Element);
  return raw;
}

const ranges: Record<string, [bigint, bigint]> = {
  UINT8: [0n, 255n],
  UINT16: [0n, 65535n],
  UINT32: [0n, 2n ** 32n - 1n],
  UINT64: [0n, 2n ** 64n - 1n],
  INT8: [-128n, 127n],
  INT16: [-32768n, 32767n],
  INT32: [-(2n ** 31n), 2n ** 31n - 1n],
  INT64: [-(2n ** 63n), 2n ** 63n - 1n],
};

/** Smallest and largest value of an integer type; undefined for the others. */
export function integerRange(datatype: string): [bigint, bigint] | undefined {
  return Object.hasOwn(ranges, datatype) ? ranges[datatype] : undefined;
}

/** Rounds and clamps a number into what the type can hold, so that a picture never wraps around. */
export function clampTo(datatype: string, value: number): number {
  const range = integerRange(datatype);
  if (!range) return value;
  return Math.min(Number(range[1]), Math.max(Number(range[0]), Math.round(value)));
}

function toBigInt(value: Element): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "string") return BigInt(value);
  return BigInt(Math.trunc(Number(value)));
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }); // a mark of byte order is bytes too

/** Text where the bytes are UTF-8, otherwise the bytes. */
function textOrBytes(bytes: Uint8Array): string | Uint8Array {
  try {
    return strict.decode(bytes);
  } catch {
    return bytes;
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
  const element = (start: number) =>
    textOrBytes(raw.subarray(start + 4, start + 4 + view.getUint32(start, true)));
  return { length: starts.length, at: (index) => element(starts[index] as number) };
}

function encodeBytes(values: ArrayLike<Element>): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts = Array.from(values, (v) => (typeof v === "object" ? v : encoder.encode(String(v))));
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
