import { expect, it } from "vitest";
import { type Answer, append, columnNames, emptySeries, newest, toSeries } from "./series";

function answer(time: number[], values = time, stepMs = 1000): Answer {
  return {
    stepMs,
    time,
    ...Object.fromEntries(columnNames.map((name) => [name, values])),
  } as unknown as Answer;
}

it("turns NaN into nothing", () => {
  const series = toSeries(answer([1, 2, 10], [5, Number.NaN, 7]));
  expect(series.time).toEqual([1, 2, 10]);
  expect(series.p50Ms).toEqual([5, null, 7]);
  expect(newest(series.p50Ms)).toBe(7);
  expect(newest([])).toBeUndefined();
});

it("appends, replaces what overlaps, and lets the oldest go", () => {
  const series = append(toSeries(answer([1, 2, 3])), answer([3, 4], [30, 40]), 2);
  expect(series.time).toEqual([2, 3, 4]);
  expect(series.requestsPerSecond).toEqual([2, 30, 40]);
});

it("keeps a gap that a newer answer tells of", () => {
  const series = append(toSeries(answer([1, 2])), answer([2, 3, 4, 5], [2, Number.NaN, Number.NaN, 5]), 0);
  expect(series.time).toEqual([1, 2, 3, 4, 5]);
  expect(series.requestsPerSecond).toEqual([1, 2, null, null, 5]);
});

it("leaves a series alone when nothing is new", () => {
  const series = toSeries(answer([1, 2]));
  expect(append(series, answer([]), 0).time).toEqual([1, 2]);
  expect(append(emptySeries(), answer([5]), 0).time).toEqual([5]);
});
