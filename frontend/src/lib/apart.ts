/** What may be said of two times: whether one is shorter, or the difference is noise. */
import { timesApart } from "./format";

/** A median, and the usual times around it; those are 0 where the runs were too few. */
export interface Times {
  readonly medianMs: number;
  readonly lowMs: number;
  readonly highMs: number;
}

/** Of few runs no usual times are told. */
export const areFew = (first: Times, second: Times): boolean => first.highMs === 0 || second.highMs === 0;

/** How far the second time is from the first, "2.0 times faster", and what that is worth. Where the usual times of both overlap, a difference of their medians is noise. */
export function apart(
  first: Times,
  second: Times,
): { text: string; worth: "same" | "few" | "noise" | "sure" } {
  const far = timesApart(first.medianMs, second.medianMs);
  if (far === "") return { text: "", worth: "same" };
  const text = `${far} ${first.medianMs > second.medianMs ? "faster" : "slower"}`;
  if (areFew(first, second)) return { text, worth: "few" };
  const overlap = first.lowMs <= second.highMs && second.lowMs <= first.highMs;
  return { text, worth: overlap ? "noise" : "sure" };
}
