/** What can be said about a tensor at a glance. */
import { count, grouped } from "./format";
import type { Values } from "./tensor";

/** What the finite elements are. */
export type Range = {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly zeros: number;
};

/** What a float can be instead of a finite number, as people write it. */
export const notFiniteKinds = ["NaN", "Infinity", "-Infinity"] as const;
export type NotFiniteKind = (typeof notFiniteKinds)[number];

/** How many elements are of each kind. */
export type NotFinite = Readonly<Record<NotFiniteKind, number>>;

export type Stats = {
  /** Undefined where no element is finite. */
  readonly range: Range | undefined;
  readonly notFinite: NotFinite;
  readonly count: number;
};

/** The kind of a value that is not finite; undefined for a finite one. */
export function notFiniteKind(value: number): NotFiniteKind | undefined {
  if (Number.isFinite(value)) return undefined;
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

/** Counts the elements that are not finite, and tells the range of the others. Undefined where there are strings, or nothing. */
export function stats(values: Values): Stats | undefined {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let zeros = 0;
  let finite = 0;
  const notFinite = { NaN: 0, Infinity: 0, "-Infinity": 0 };
  for (let i = 0; i < values.length; i++) {
    const element = values.at(i);
    if (typeof element === "string" || typeof element === "object") return undefined;
    const value = Number(element);
    const kind = notFiniteKind(value);
    if (kind) {
      notFinite[kind]++;
      continue;
    }
    finite++;
    sum += value;
    if (value === 0) zeros++;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (values.length === 0) return undefined;
  const range = finite > 0 ? { min, max, mean: sum / finite, zeros } : undefined;
  return { range, notFinite, count: values.length };
}

/** "2 NaN, 1 Infinity of 20 values"; "" where all are finite. */
export function notFinitePhrase({ notFinite, count: all }: Stats): string {
  const found = notFiniteKinds
    .filter((kind) => notFinite[kind] > 0)
    .map((kind) => `${grouped(notFinite[kind])} ${kind}`);
  return found.length === 0 ? "" : `${found.join(", ")} of ${count(all, "value")}`;
}

/** Indices of the largest elements, largest first. NaN never wins. */
export function topIndices(values: Values, count: number): number[] {
  const score = (i: number) => {
    const value = Number(values.at(i));
    return Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value;
  };
  const best: number[] = [];
  for (let i = 0; i < values.length; i++) {
    const worst = best[best.length - 1];
    if (best.length === count && worst !== undefined && score(i) <= score(worst)) continue;
    let at = best.length;
    while (at > 0 && score(best[at - 1] as number) < score(i)) at--;
    best.splice(at, 0, i);
    if (best.length > count) best.pop();
  }
  return best;
}

/** Whether the elements look like probabilities: all within 0 … 1 and adding up to 1. */
export function looksLikeProbabilities(values: Values): boolean {
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const value = Number(values.at(i));
    if (!(value >= -1e-6 && value <= 1 + 1e-6)) return false;
    sum += value;
  }
  return values.length > 1 && Math.abs(sum - 1) < 1e-2;
}
