import { expect, it } from "vitest";
import { wholeRows } from "./wholeRows";

it.each([
  ["all", [25, 25, 25], 3, 75],
  ["those that are whole", [25, 45, 25, 25], 2, 70],
  ["the first, however high", [200, 25], 1, 200],
  ["none", [], 0, 0],
])("counts %s", (_, heights, count, height) => {
  expect(wholeRows(heights, 88)).toEqual({ count, height });
});
