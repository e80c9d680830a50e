/** Numbers and colours of chart axes. */

export const axisFont = '10.5px "Inter Variable", Inter, system-ui, sans-serif';

/** The current value of a design token. */
export function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "gray";
}

/** A hexadecimal colour with an opacity, in the oldest notation: canvases know fewer colours than style sheets. */
export function translucent(hex: string, opacity: number): string {
  const digits = /^#([\da-f]{3}|[\da-f]{6})$/i.exec(hex)?.[1];
  if (!digits) return hex;
  const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits;
  const channel = (at: number) => Number.parseInt(full.slice(at, at + 2), 16);
  return `rgba(${channel(0)}, ${channel(2)}, ${channel(4)}, ${opacity})`;
}

const steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** The least round number, divisible by three lines of a grid, that is not below the value. */
export function niceMax(value: number): number {
  if (!(value > 0)) return 3; // lines at 1, 2 and 3 of whatever it is
  const third = (value * 1.04) / 3; // a little air above the highest point
  const magnitude = 10 ** Math.floor(Math.log10(third));
  const step = steps.find((s) => s * magnitude >= third - 1e-12) ?? 10;
  return Number((step * magnitude * 3).toPrecision(12));
}

/** How far an axis reaches. One whose values cannot be above `most` ends there, and not at a round number after it. */
export function axisTop(largest: number, { least = 0, most, base = 1 }: Reach): number {
  const value = Math.max(largest, least);
  const top = niceMax(value / base) * base;
  return most !== undefined && value <= most && top > most ? most : top;
}

interface Reach {
  readonly least?: number | undefined;
  readonly most?: number | undefined;
  readonly base?: number | undefined; // what round numbers are counted in
}

/** The lines of a grid: thirds, or quarters of what only those divide into round numbers. */
export function gridLines(max: number): number[] {
  const parts = max === 100 ? 4 : 3;
  return Array.from({ length: parts + 1 }, (_, part) => (max * part) / parts);
}

const enough = 20; // of fewer values none is unusual
const usualShare = 0.96;
const farAbove = 4;

/**
 * How high a chart has to reach to show what is usual: a few values far above the rest would press everything else
 * onto the ground. Undefined when all values fit into one picture.
 */
export function clippedTop(values: readonly number[]): number | undefined {
  if (values.length < enough) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const usual = sorted[Math.floor((sorted.length - 1) * usualShare)] as number;
  const most = sorted[sorted.length - 1] as number;
  return usual > 0 && most > usual * farAbove ? usual * 1.5 : undefined;
}

const day = 86_400;

/** Labels of a time axis: the date where midnight falls or days are far apart, otherwise hours and minutes. */
export function dateSplits(splits: readonly number[], increment: number): string[] {
  return splits.map((at) => {
    const date = new Date(at * 1000);
    const midnight = date.getHours() === 0 && date.getMinutes() === 0;
    if (increment >= day || (midnight && increment >= 3600)) return `${date.getDate()} ${month(date)}`;
    return clock(date, increment < 60);
  });
}

function month(date: Date): string {
  return date.toLocaleDateString("en", { month: "short" });
}

function clock(date: Date, seconds: boolean): string {
  const two = (n: number) => String(n).padStart(2, "0");
  const minutes = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return seconds ? `${minutes}:${two(date.getSeconds())}` : minutes;
}

/** Indices of values without a neighbour: no line goes through them, so each is drawn as a point. */
export function lonely(column: readonly (number | null | undefined)[]): number[] {
  const missing = (at: number) => column[at] === null || column[at] === undefined;
  const found: number[] = [];
  for (let at = 0; at < column.length; at++) {
    if (!missing(at) && missing(at - 1) && missing(at + 1)) found.push(at);
  }
  return found;
}
