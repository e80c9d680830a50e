import { expect, test, vi } from "vitest";
import {
  bytes,
  count,
  middle,
  milliseconds,
  moment,
  rate,
  shape,
  significant,
  timesApart,
  waited,
} from "./format";

test.each([
  [0.0431, "0.0431"],
  [4.312, "4.31"],
  [43.1, "43.1"],
  [431.4, "431"],
  [4310, "4,310"],
  [0, "0"],
  [Number.NaN, "–"],
])("significant %f", (value, expected) => expect(significant(value)).toBe(expected));

test.each([
  [0, "0 ms"],
  [0.00032, "320 ns"],
  [0.002143, "2.14 µs"],
  [0.0431, "43.1 µs"],
  [0.43, "430 µs"],
  [0.9996, "1.00 ms"],
  [1.2, "1.20 ms"],
  [38, "38.0 ms"],
  [999.7, "1.00 s"],
  [1234, "1.23 s"],
  [59_940, "59.9 s"],
  [59_990, "1 min 0 s"],
  [65_000, "1 min 5 s"],
  [119_700, "2 min 0 s"],
  [Number.NaN, "–"],
])("a time of %f ms has three digits and a fitting unit", (value, expected) =>
  expect(milliseconds(value)).toBe(expected),
);

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1023, "1023 B"],
  [4_100_000, "3.9 MiB"],
  [1023.6 * 1024, "1.0 MiB"],
  [85_899_345_920n, "80.0 GiB"], // a GPU of "80GB", as its driver tells it
  [25_757_220_864n, "24.0 GiB"],
  [480 * 1024 ** 3, "480 GiB"],
])("bytes %s", (value, expected) => expect(bytes(value)).toBe(expected));

test("rate", () =>
  expect([0, 0.4, 9.96, 41.2, 49382.7].map(rate)).toEqual(["0", "0.4", "10", "41", "49,383"]));
test("a rate that is not nothing does not read as 0", () =>
  expect([0.0961, 0.04, 0.0033, 1 / 900, 1 / 86_400].map(rate)).toEqual([
    "0.1",
    "0.04",
    "0.003",
    "0.001",
    "< 0.001",
  ]));
test("shape", () => expect(shape([-1n, 64n])).toBe("[-1, 64]"));
test("count", () => expect([count(1, "error"), count(3, "error")]).toEqual(["1 error", "3 errors"]));
test("middle", () => expect(middle("abcdefghij", 5)).toBe("ab…ij"));
test("moment of another day", () => {
  const now = new Date(2026, 10, 21, 12);
  expect(moment(new Date(2026, 10, 20, 14, 3).getTime(), now)).toBe("20 Nov 14:03");
});
test("a time that runs", () =>
  expect([0, 950, 3_299, 60_000, 65_900].map(waited)).toEqual([
    "0.0 s",
    "0.9 s",
    "3.2 s",
    "1 min 0 s",
    "1 min 5 s",
  ]));

test.each([
  [2, 1, "2.0 times"],
  [1, 2, "2.0 times"],
  [1000, 960, "4 %"],
  [960, 1000, "4 %"],
  [1000, 1019, ""],
  [1000, 975, "3 %"],
  [110, 100, "1.1 times"],
])("%f and then %f are %s apart", (before, after, expected) =>
  expect(timesApart(before, after)).toBe(expected),
);

test("numbers are written without a format of their own, which takes a browser longer than a row", () => {
  const made = vi.spyOn(Number.prototype, "toLocaleString");
  expect(count(12_345, "error")).toBe("12,345 errors");
  expect(significant(4310)).toBe("4,310");
  expect(made).not.toHaveBeenCalled();
  made.mockRestore();
});
