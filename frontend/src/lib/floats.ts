/** The floating point types: rounding to them, what fits into them, and the shortest text that reads back as the same value. */

const scratch = new DataView(new ArrayBuffer(4));

export function bfloatToNumber(bits: number): number {
  scratch.setUint32(0, bits << 16);
  return scratch.getFloat32(0);
}

/** Rounds to nearest even, as ONNX Runtime does. */
export function numberToBfloat(value: number): number {
  if (Number.isNaN(value)) return 0x7fc0;
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

export function numberToHalf(value: number): number {
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

export function isFloat(datatype: string): boolean {
  return Object.hasOwn(rounders, datatype);
}

/** The number as a tensor of this type holds it. */
const rounders: Record<string, (value: number) => number> = {
  FP16: (value) => halfToNumber(numberToHalf(value)),
  BF16: (value) => bfloatToNumber(numberToBfloat(value)),
  FP32: Math.fround,
  FP64: (value) => value,
};

const largest: Record<string, string> = {
  FP16: "65504",
  BF16: "3.39e38",
  FP32: "3.4e38",
  FP64: "1.8e308",
};

/** Whether a number becomes an infinity in this type. An infinity that is meant is none of these. */
export function overflows(datatype: string, value: number): boolean {
  return Number.isFinite(value) && !Number.isFinite(rounders[datatype]?.(value) ?? value);
}

/** The largest number of a type, as text. */
export function largestOf(datatype: string): string {
  return largest[datatype] ?? "";
}

const mostDigits: Record<string, number> = { FP16: 5, BF16: 4, FP32: 9 }; // that a type can tell apart
const wholeUpTo = 2 ** 24; // whole numbers to here are written whole: 65504 in FP16, not the shorter 65500

/** The shortest text that reads back as the same value of this type. */
export function shortest(datatype: string, value: number): string {
  const round = rounders[datatype];
  const digits = mostDigits[datatype];
  if (round && Object.is(value, -0)) return "-0";
  if (!round || !digits || !Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) <= wholeUpTo) return String(value);
  const readsBack = (precision: number) => round(Number(value.toPrecision(precision))) === value;
  let precision = Math.max(1, digits - 2);
  while (precision < digits && !readsBack(precision)) precision++;
  while (precision > 1 && readsBack(precision - 1)) precision--;
  return String(Number(value.toPrecision(precision)));
}
