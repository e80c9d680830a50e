import { expect, it } from "vitest";
import { decode, encode } from "./tensor";
import { defaultRandom, generator, randomTensor } from "./tensor-random";
import { looksLikeProbabilities, notFinitePhrase, type Stats, stats, topIndices } from "./tensor-stats";

const fp32 = (values: number[]) => decode("FP32", encode("FP32", values));

it("summarises the finite elements", () => {
  expect(stats(fp32([0, 2, 4, Number.NaN]))?.range).toEqual({ min: 0, max: 4, mean: 2, zeros: 1 });
  expect(stats(fp32([Number.NaN]))?.range).toBeUndefined();
  expect(stats(decode("BYTES", encode("BYTES", ["a"])))).toBeUndefined();
});

it("counts NaN and each infinity apart, and says so", () => {
  const phrase = (values: number[]) => notFinitePhrase(stats(fp32(values)) as Stats);
  const [nan, inf] = [Number.NaN, Number.POSITIVE_INFINITY];
  expect(phrase([nan, nan, inf, -inf, 0])).toBe("2 NaN, 1 Infinity, 1 -Infinity of 5 values");
  expect(phrase([-inf])).toBe("1 -Infinity of 1 value");
  expect(phrase([0, 1])).toBe("");
});

it("finds the largest, in order, without NaN", () => {
  expect(topIndices(fp32([1, 5, Number.NaN, 3, 5]), 3)).toEqual([1, 4, 3]);
  expect(topIndices(fp32([1, 2]), 5)).toEqual([1, 0]);
});

it("knows probabilities", () => {
  expect(looksLikeProbabilities(fp32([0.25, 0.75]))).toBe(true);
  expect(looksLikeProbabilities(fp32([0.25, 0.25]))).toBe(false);
  expect(looksLikeProbabilities(fp32([2, -1]))).toBe(false);
});

it("draws the same numbers from the same seed", () => {
  const a = generator(7);
  const b = generator(7);
  expect([a(), a()]).toEqual([b(), b()]);
  const bytes = decode("UINT8", randomTensor("UINT8", 1000, defaultRandom("UINT8")));
  const summary = stats(bytes);
  expect(summary?.range?.min).toBeLessThan(10);
  expect(summary?.range?.max).toBeGreaterThan(245);
  expect(decode("BYTES", randomTensor("BYTES", 3, defaultRandom("BYTES"))).length).toBe(3);
});
