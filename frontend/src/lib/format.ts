/** Numbers for people: three significant digits, units, no exponent. */

/** Three significant digits where there are decimals: 0.0431, 4.31, 43.1, 431, 4,310. In a column, fewer decimals may do. */
export function significant(value: number, mostDecimals = 6): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.max(0, Math.min(mostDecimals, 2 - magnitude));
  return grouped(value, decimals);
}

/** By decimals. A browser makes a new one for each call of toLocaleString that names decimals, which takes longer than all else in a row. */
const formats: Intl.NumberFormat[] = [];

function formatOf(decimals: number): Intl.NumberFormat {
  formats[decimals] ??= new Intl.NumberFormat("en", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return formats[decimals];
}

/** A count, or a figure with so many decimals: 137,984. */
export const grouped = (value: bigint | number, decimals = 0): string =>
  formatOf(decimals).format(Number(value));

/** A unit of time, and how many milliseconds it has. */
type UnitOfTime = readonly [name: string, ms: number];

const UNITS_OF_TIME: readonly UnitOfTime[] = [
  ["s", 1000],
  ["ms", 1],
  ["µs", 1e-3],
  ["ns", 1e-6],
];

/** The largest unit of which a time has one or more. */
export const unitOfTime = (ms: number): UnitOfTime =>
  UNITS_OF_TIME.find(([, least]) => ms >= least) ?? (UNITS_OF_TIME[3] as UnitOfTime);

/** A measured time, in the unit that fits it and with three significant digits: 2.14 µs, 430 µs, 38.0 ms, 1.20 s, 2 min 5 s. */
export function milliseconds(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  if (ms <= 0) return "0 ms";
  if (ms >= 59_950) return inMinutes(Math.round(ms / 1000));
  const told = Number(ms.toPrecision(3)); // 999.6 µs are 1.00 ms
  const [name, unit] = unitOfTime(told);
  return `${name === "ns" ? Math.round(told / unit) : significant(told / unit)} ${name}`; // clocks count whole nanoseconds
}

const inMinutes = (seconds: number): string => `${Math.floor(seconds / 60)} min ${seconds % 60} s`;

/** Nanoseconds as the API sends them. */
export const nanoseconds = (ns: bigint | number): string => milliseconds(Number(ns) / 1e6);

export const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/**
 * A number of bytes: of memory, of a file, of a download. All are in binary units, so that a model's file can be held against
 * the memory that it takes: a GPU of "80GB" has 80.0 GiB. The program writes them in the same way (configedit/bytesize).
 */
export function bytes(count: bigint | number): string {
  let value = Number(count);
  let unit = 0;
  while (value >= 1023.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(unit === 0 || value >= 99.95 ? 0 : 1)} ${BYTE_UNITS[unit]}`;
}

/** A rate: 41 req/s shows no decimals, 0.4 shows one, 0.03 as many as it takes to tell it from nothing. */
export function rate(perSecond: number): string {
  if (!Number.isFinite(perSecond) || perSecond <= 0) return "0";
  if (perSecond < 0.001) return "< 0.001";
  if (perSecond < 0.095) return String(Number(perSecond.toPrecision(1)));
  if (perSecond < 10) return String(Number(perSecond.toFixed(1)));
  return grouped(perSecond, 0);
}

/** A shape as Triton prints it: [-1, 64]. */
export const shape = (dims: readonly (bigint | number)[]): string => `[${dims.join(", ")}]`;

/** Whether a config gives a tensor a data type that exists. The program says INVALID where it does not. */
export const hasType = (datatype: string): boolean => datatype !== "" && datatype !== "INVALID";

/** Type and shape beside a tensor's name: FP32 [-1, 64]. */
export const typeAndShape = (datatype: string, dims: readonly (bigint | number)[]): string =>
  `${hasType(datatype) ? datatype : "no type"} ${shape(dims)}`;

const two = (value: number) => value.toString().padStart(2, "0");

/** 14:03:52, in the reader's time zone. */
export function clock(unixMs: bigint | number): string {
  const date = new Date(Number(unixMs));
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The time today, the date before that: 14:03:52, 20 Nov 14:03. */
export function moment(unixMs: bigint | number, now = new Date()): string {
  const day = otherDay(unixMs, now);
  return day === "" ? clock(unixMs) : `${day} ${clock(unixMs).slice(0, "14:03".length)}`;
}

/** The date of a time, "" for today: 20 Nov, 20 Nov 2025. */
export function otherDay(unixMs: bigint | number, now = new Date()): string {
  const date = new Date(Number(unixMs));
  if (date.toDateString() === now.toDateString()) return "";
  const month = date.toLocaleString("en", { month: "short" });
  const year = date.getFullYear() === now.getFullYear() ? "" : ` ${date.getFullYear()}`;
  return `${date.getDate()} ${month}${year}`;
}

/** "1 error", "3 errors". */
export const count = (n: number, noun: string, plural = `${noun}s`): string =>
  `${grouped(n)} ${n === 1 ? noun : plural}`;

/** How far what comes after is from what was before: "2.0 times", "4 %" where that would be 1.0 times, and "" where it is the same. */
export function timesApart(before: number, after: number): string {
  const times = Math.max(before / after, after / before);
  if (times < 1.02) return "";
  if (times >= 1.1) return `${times.toFixed(1)} times`;
  return `${Math.round((Math.abs(after - before) / before) * 100)} %`;
}

/** The summary of a request with the sign that people would draw. */
export const arrows = (text: string): string => text.replaceAll(" -> ", " → ");

/** Cuts a long name in the middle; the ends of model and tensor names tell them apart. */
export function middle(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = Math.floor((length - 1) / 2);
  return `${text.slice(0, length - 1 - tail)}…${text.slice(text.length - tail)}`;
}

/** A duration that people wait through: "12 s", "3 min 5 s", "2 h 10 min". */
export function duration(ms: number): string {
  const seconds = Math.floor(Math.max(ms, 0) / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${seconds} s`;
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A time that runs while people look at it, so with one decimal that always shows: "3.2 s", "1 min 5 s". */
export function waited(ms: number): string {
  const tenths = Math.floor(Math.max(ms, 0) / 100);
  if (tenths < 600) return `${Math.floor(tenths / 10)}.${tenths % 10} s`;
  return duration(ms);
}
