import { beforeEach, expect, it } from "vitest";
import { setRange, useRange, zoomBack, zoomTo } from "./range";

const view = () => useRange.getState().view;

beforeEach(() => setRange("1h"));

it("zooms in step by step, and back the same way", () => {
  zoomTo({ from: 1000, to: 61_000 });
  zoomTo({ from: 10_000.4, to: 20_000.2 });
  expect(view()).toEqual({ range: "1h", zoom: { from: 10_000, to: 20_001 } });
  expect(zoomBack()).toBe(true);
  expect(view().zoom).toEqual({ from: 1000, to: 61_000 });
  expect(zoomBack()).toBe(true);
  expect(view()).toEqual({ range: "1h", zoom: undefined });
  expect(zoomBack()).toBe(false);
});

it("shows a range from its beginning again when it is chosen", () => {
  zoomTo({ from: 1000, to: 61_000 });
  setRange("24h");
  expect(view()).toEqual({ range: "24h" });
  expect(zoomBack()).toBe(false);
});

it("does not zoom to less than a few seconds", () => {
  zoomTo({ from: 1000, to: 2000 });
  expect(view().zoom).toBeUndefined();
});
