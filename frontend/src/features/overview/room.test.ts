import { expect, test } from "vitest";
import { heightOf, roomIn } from "./room";

test("where not all rows have room, whole ones fill it", () => {
  for (let height = 180; height < heightOf(20) - 1; height++) {
    const { rowHeight, seen = 20 } = roomIn(height, 20);
    const gap = height - 52 - seen * rowHeight;
    expect(gap, `under ${seen} rows of ${rowHeight} in ${height}`).toBeGreaterThanOrEqual(0);
    expect(gap).toBeLessThan(seen);
    expect(rowHeight).toBeGreaterThanOrEqual(34);
    expect(rowHeight).toBeLessThan(46);
  }
  expect(roomIn(332, 15)).toEqual({ rowHeight: 35, seen: 8 });
});

test("where all have room they have their usual height", () => {
  expect(roomIn(heightOf(7), 7)).toEqual({ rowHeight: 36 });
  expect(roomIn(heightOf(7) + 100, 7)).toEqual({ rowHeight: 36 });
  expect(roomIn(undefined, 7)).toEqual({ rowHeight: 36 });
});

test("rows that fit when they are a little lower are all in sight", () => {
  expect(roomIn(heightOf(7) - 10, 7)).toEqual({ rowHeight: 34 });
});
