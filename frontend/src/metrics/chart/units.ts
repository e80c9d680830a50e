import { BYTE_UNITS, unitOfTime } from "../../lib/format";
import { niceMax } from "./scales";

/** Labels of value axes: each has its unit, and all of one axis have the same. */

/** Makes the labels of an axis that reaches up to `max`. */
export interface Unit {
  (max: number): (value: number) => string;
  /** What round numbers are counted in, of values up to `max`; 1 where nothing else is told. */
  readonly base?: (max: number) => number;
}

const short = (value: number) => String(Number(value.toPrecision(3)));

const labels = (unit: string, scale = 1) => {
  return (value: number) => (value === 0 ? "0" : `${short(value / scale)}${unit}`);
};

export const perSecond: Unit = (max) => {
  if (max >= 1e6) return labels("M/s", 1e6);
  return max >= 10_000 ? labels("k/s", 1000) : labels("/s");
};

const minute = 60_000;

/** A short axis in seconds has the rounder numbers: 30 s, 60 s, 90 s. */
const leastInMinutes = 2 * minute;

export const milliseconds: Unit = (max) => {
  const [name, ms] = max >= leastInMinutes ? (["min", minute] as const) : unitOfTime(max);
  return labels(` ${name}`, ms);
};

export const percent: Unit = () => labels(" %");

export const celsius: Unit = () => labels(" °C");

export const watts: Unit = (max) => (max >= 10_000 ? labels(" kW", 1000) : labels(" W"));

export const joules: Unit = (max) => {
  if (max >= 1e7) return labels(" MJ", 1e6);
  return max >= 10_000 ? labels(" kJ", 1000) : labels(" J");
};

export const plain: Unit = (max) => (max >= 10_000 ? labels("k", 1000) : labels(""));

/** From this part of the next unit on, an axis has that one: "0.9 GiB", and not "922 MiB". */
const nextUnit = 0.88;

const memoryUnit = (max: number): number =>
  Math.min(Math.max(Math.floor(Math.log2(Math.max(max, 1) / nextUnit) / 10), 0), BYTE_UNITS.length - 1);

export const memory: Unit = Object.assign(
  (max: number) => labels(` ${BYTE_UNITS[memoryUnit(max)]}`, 1024 ** memoryUnit(max)),
  {
    base: (max: number) => {
      const base = 1024 ** memoryUnit(max);
      return niceMax(max / base) >= 1000 ? base * 1024 : base;
    },
  },
);
