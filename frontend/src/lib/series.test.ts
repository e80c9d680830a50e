import { expect, it } from "vitest";
import {
  type Answer,
  append,
  columnAt,
  columnNames,
  emptySeries,
  gpuColumnNames,
  newest,
  toSeries,
} from "./series";

function answer(time: number[], values = time, stepMs = 1000): Answer {
  return {
    stepMs,
    time,
    gpus: [],
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

const gpu = (index: number, values: number[]) => ({
  index,
  uuid: `GPU-${index}`,
  name: "A100",
  ...(Object.fromEntries(gpuColumnNames.map((name) => [name, values])) as Record<
    (typeof gpuColumnNames)[number],
    number[]
  >),
});

it("joins the columns of GPUs, with gaps where one was not there", () => {
  const older = toSeries({ ...answer([1, 2, 3]), gpus: [gpu(1, [10, Number.NaN, 30])] });
  const newer = { ...answer([3, 4]), gpus: [gpu(0, [7, 8])] };
  const both = append(older, newer, 1);
  expect(both.gpus.map(({ index }) => index)).toEqual([0, 1]);
  expect(columnAt(both, { gpu: "GPU-0", column: "usedBytes" })).toEqual([null, null, 7, 8]);
  expect(columnAt(both, { gpu: "GPU-1", column: "usedBytes" })).toEqual([10, null, null, null]);
  const same = append(both, { ...answer([4, 5]), gpus: [gpu(0, [8, 9])] }, 1);
  expect(same.gpus).toBe(both.gpus);
  expect(columnAt(same, { gpu: "GPU-0", column: "powerWatts" })).toEqual([null, null, 7, 8, 9]);
});

it("lets a GPU go that told nothing in the range any more", () => {
  const older = toSeries({ ...answer([1, 2, 3]), gpus: [gpu(0, [1, 2, 3]), gpu(1, [10, 20, Number.NaN])] });
  const gone = append(older, { ...answer([3, 4]), gpus: [gpu(0, [3, 4])] }, 3);
  expect(gone.gpus.map(({ index }) => index)).toEqual([0]);
});
