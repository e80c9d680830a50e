/** Random tensors from a seed: the same seed gives the same request again. */
import { isFloat, largestOf } from "./floats";
import { encode, integerRange } from "./tensor";

export type RandomSettings = { readonly seed: number; readonly low: number; readonly high: number };

/** Ranges that make sense before anybody chose one. */
export function defaultRandom(datatype: string): RandomSettings {
  if (isFloat(datatype)) return { seed: 1, low: 0, high: 1 };
  if (datatype === "UINT8") return { seed: 1, low: 0, high: 255 };
  if (datatype === "BOOL") return { seed: 1, low: 0, high: 1 };
  return { seed: 1, low: 0, high: 100 };
}

/** What is wrong with the limits for this type, in a sentence; "" when nothing is. */
export function overreaches(datatype: string, { low, high }: RandomSettings): string {
  if (datatype === "BYTES") return "";
  if (low > high) return `Random values from ${low} to ${high}: the first number is larger than the second`;
  const [least, most] = limits(datatype);
  if (low >= least && high <= most) return "";
  return `Random values from ${low} to ${high} do not fit into ${datatype}, which holds ${least} to ${most}`;
}

function limits(datatype: string): readonly [number, number] {
  const range = integerRange(datatype);
  if (range) return [Number(range[0]), Number(range[1])];
  if (datatype === "BOOL") return [0, 1];
  const most = Number(largestOf(datatype)) || Number.POSITIVE_INFINITY;
  return [-most, most];
}

/** A small, fast generator (mulberry32): numbers from 0 up to 1. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The bytes of a random tensor: uniform from low to high, both included for integers. */
export function randomTensor(
  datatype: string,
  count: number,
  settings: RandomSettings,
): Uint8Array<ArrayBuffer> {
  const next = generator(settings.seed);
  const { low, high } = settings;
  if (datatype === "BYTES")
    return encode(
      datatype,
      Array.from({ length: count }, () => `text ${Math.floor(next() * 1000)}`),
    );
  const whole = integerRange(datatype) !== undefined || datatype === "BOOL";
  const draw = whole ? () => Math.floor(low + next() * (high - low + 1)) : () => low + next() * (high - low);
  const values = new Array<number>(count);
  for (let i = 0; i < count; i++) values[i] = draw();
  return encode(datatype, values);
}
