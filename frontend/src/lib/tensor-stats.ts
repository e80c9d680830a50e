/** What can be said about a tensor at a glance. */
import type { Values } from "./tensor";

export type Stats = {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly zeros: number;
  readonly notFinite: number;
};

/** Minimum, maximum and mean of the finite elements. Undefined where there are only strings, or nothing. */
export function stats(values: Values): Stats | undefined {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let zeros = 0;
  let finite = 0;
  for (let i = 0; i < values.length; i++) {
    const element = values.at(i);
    if (typeof element === "string" || typeof element === "object") return undefined;
    const value = Number(element);
    if (!Number.isFinite(value)) continue;
    finite++;
    sum += value;
    if (value === 0) zeros++;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (finite === 0) return undefined;
  return { min, max, mean: sum / finite, zeros, notFinite: values.length - finite };
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
