import { expect, test } from "vitest";
import { valueAxis } from "./axes";

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
