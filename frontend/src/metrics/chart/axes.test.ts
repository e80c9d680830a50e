import { expect, test } from "vitest";
import { timeAxis, valueAxis } from "./axes";

test("an axis without a value has lines and no figures", () => {
  const series = [{}, { scale: "left" }, { scale: "right" }];
  const scales = { left: { max: 3 }, right: { max: 6 } };
  const labels = (side: "left" | "right") => {
    const { values } = valueAxis(side, () => (value) => `${value} B`);
    return (values as (plot: unknown, splits: number[]) => string[])(
      {
        series,
        scales,
        data: [
          [1, 2],
          [null, null],
          [null, 5],
        ],
      },
      [0, 3],
    );
  };
  expect(labels("left")).toEqual(["", ""]);
  expect(labels("right")).toEqual(["0 B", "3 B"]);
});

test("a label of time that the edge would cut is left out", () => {
  const hour = 3600;
  const noon = new Date(2026, 10, 20, 12).getTime() / 1000;
  // 38 pixels of labels, a plot of 300 and 14 beside it: a label of five characters needs 15.5 to either side.
  const plot = { bbox: { left: 38, width: 300 }, width: 352, valToPos: (at: number) => (at - noon) / 60 };
  const labels = (minutes: number[]) =>
    (timeAxis().values as (plot: unknown, splits: number[], ...rest: number[]) => string[])(
      plot,
      minutes.map((minute) => noon + minute * 60),
      0,
      0,
      hour,
    );
  expect(labels([0, 120, 298])).toEqual(["12:00", "14:00", "16:58"]);
  expect(labels([300])).toEqual([""]);
});
