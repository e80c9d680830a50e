import { expect, it } from "vitest";
import { axisTop, clippedTop, dateSplits, gridLines, lonely, niceMax, translucent } from "./scales";

it.each([
  [0, 3],
  [Number.NaN, 3],
  [1, 1.2],
  [85, 90],
  [90, 120],
  [4.2, 4.5],
  [0.031, 0.045],
  [1e6, 1.2e6],
])("%d fits under %d", (value, max) => expect(niceMax(value)).toBeCloseTo(max, 10));

it("ends an axis of percentages at 100, with round numbers at its lines", () => {
  expect(axisTop(97, { least: 100, most: 100 })).toBe(100);
  expect(axisTop(250, { most: 100 })).toBe(300);
  expect(axisTop(40, { most: 100 })).toBe(45);
  expect(axisTop(4, { least: 90 })).toBe(120);
  expect(gridLines(100)).toEqual([0, 25, 50, 75, 100]);
  expect(gridLines(120)).toEqual([0, 40, 80, 120]);
});

it("labels hours, days and seconds", () => {
  const at = new Date(2026, 4, 20, 14, 5).getTime() / 1000;
  const midnight = new Date(2026, 4, 20).getTime() / 1000;
  expect(dateSplits([at], 300)).toEqual(["14:05"]);
  expect(dateSplits([at], 30)).toEqual(["14:05:00"]);
  expect(dateSplits([midnight], 7200)).toEqual(["20 May"]);
  expect(dateSplits([at], 86400)).toEqual(["20 May"]);
});

it("makes colours translucent", () => {
  expect(translucent("#2457d6", 0.12)).toBe("rgba(36, 87, 214, 0.12)");
  expect(translucent("#fff", 0.5)).toBe("rgba(255, 255, 255, 0.5)");
  expect(translucent("gray", 0.5)).toBe("gray");
});

it("finds values that no line goes through", () => {
  expect(lonely([1, null, 2, 3, null, 4])).toEqual([0, 5]);
  expect(lonely([])).toEqual([]);
});

it("lets a few values far above the rest leave the picture", () => {
  const usual = Array.from({ length: 60 }, (_, i) => 1 + (i % 3));
  expect(clippedTop(usual)).toBeUndefined();
  expect(clippedTop([...usual, 5])).toBeUndefined();
  expect(clippedTop([...usual, 150])).toBe(4.5);
  expect(clippedTop([...usual.slice(0, 10), 150])).toBeUndefined();
  expect(clippedTop([...usual.map(() => 0), 150])).toBeUndefined();
  expect(clippedTop([])).toBeUndefined();
});
