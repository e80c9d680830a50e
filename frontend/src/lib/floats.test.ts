import { describe, expect, it } from "vitest";
import { bfloatToNumber, halfToNumber, numberToBfloat, numberToHalf, overflows, shortest } from "./floats";

describe("the shortest text", () => {
  it.each([
    ["FP16", 65504, "65504"],
    ["FP16", halfToNumber(numberToHalf(0.1)), "0.1"],
    ["FP16", 2 ** -24, "6e-8"],
    ["FP16", -0, "-0"],
    ["BF16", bfloatToNumber(numberToBfloat(Math.PI)), "3.14"],
    ["BF16", 128, "128"],
    ["FP32", Math.fround(0.1), "0.1"],
    ["FP32", 16777216, "16777216"],
    ["FP32", Math.fround(1e15), "1000000000000000"],
    ["FP32", Math.fround(1 / 3), "0.33333334"],
    ["FP64", 0.1 + 0.2, "0.30000000000000004"],
    ["FP64", -0, "-0"],
    ["FP32", Number.NaN, "NaN"],
    ["INT32", 7, "7"],
  ])("%s %d: %s", (datatype, value, text) => expect(shortest(datatype, value)).toBe(text));

  it.each([
    ["FP16", halfToNumber, numberToHalf],
    ["BF16", bfloatToNumber, numberToBfloat],
  ] as const)("reads back as the same value, for each of %s", (datatype, read, write) => {
    for (let bits = 0; bits < 0x10000; bits++) {
      const value = read(bits);
      if (Number.isFinite(value) && write(Number(shortest(datatype, value))) !== bits)
        throw new Error(`${datatype} ${bits.toString(16)} is written ${shortest(datatype, value)}`);
    }
  });

  it("reads back as the same value in FP32", () => {
    for (let i = 1; i < 20_000; i++) {
      const value = Math.fround(Math.sin(i) * 10 ** ((i % 70) - 35));
      expect(Math.fround(Number(shortest("FP32", value)))).toBe(value);
    }
  });
});

it("tells which numbers a type cannot hold", () => {
  expect(overflows("FP16", 65519)).toBe(false);
  expect(overflows("FP16", 65520)).toBe(true);
  expect(overflows("FP16", Number.POSITIVE_INFINITY)).toBe(false);
  expect(overflows("FP32", -3.5e38)).toBe(true);
  expect(overflows("INT32", 1e300)).toBe(false);
});
