import { describe, expect, it } from "vitest";
import { clampTo, decode, type Element, elementCount, elementSize, encode } from "./tensor";

const all = (datatype: string, raw: Uint8Array) => {
  const values = decode(datatype, raw);
  return Array.from({ length: values.length }, (_, i) => values.at(i));
};

describe("codecs go both ways", () => {
  const cases: [string, Element[]][] = [
    ["BOOL", [true, false]],
    ["UINT8", [0, 255]],
    ["UINT16", [0, 65535]],
    ["UINT32", [0, 4294967295]],
    ["UINT64", [0n, 18446744073709551615n]],
    ["INT8", [-128, 127]],
    ["INT16", [-32768, 32767]],
    ["INT32", [-2147483648, 2147483647]],
    ["INT64", [-9223372036854775808n, 9007199254740993n]],
    ["FP16", [0, -0, 1, 0.5, -2, 65504, 2 ** -24, 2 ** -14, Number.POSITIVE_INFINITY]],
    ["BF16", [0, 1, -0.5, 3.140625, Number.NEGATIVE_INFINITY]],
    ["FP32", [0.5, -1.25, Number.NEGATIVE_INFINITY]],
    ["FP64", [Math.PI, 1e300]],
    ["BYTES", ["", "snail", "貝"]],
  ];
  it.each(cases)("%s", (datatype, values) => expect(all(datatype, encode(datatype, values))).toEqual(values));

  it("keeps NaN", () => {
    for (const datatype of ["FP16", "BF16", "FP32", "FP64"])
      expect(all(datatype, encode(datatype, [Number.NaN]))).toEqual([Number.NaN]);
  });
});

describe("halves", () => {
  it.each([
    [65519, 65504],
    [65520, Number.POSITIVE_INFINITY],
    [1 + 1 / 2048, 1], // halfway between 1 and the next: to even
    [1 + 3 / 2048, 1 + 2 / 1024],
    [1.9999, 2],
    [2 ** -26, 0],
  ])("%d rounds to %d", (value, rounded) => expect(all("FP16", encode("FP16", [value]))).toEqual([rounded]));

  it("reads every finite half back as itself", () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      const raw = new Uint8Array([bits & 0xff, bits >> 8]);
      const value = decode("FP16", raw).at(0) as number;
      if (!Number.isNaN(value)) expect(encode("FP16", [value])).toEqual(raw);
    }
  });
});

describe("bytes", () => {
  it("begins where the view begins, not where its buffer does", () => {
    const whole = new Uint8Array([9, 9, 9, 1, 0, 0, 0]);
    expect(all("INT32", whole.subarray(3))).toEqual([1]);
  });
  it("leaves out a torn last element", () => {
    expect(all("INT32", new Uint8Array([1, 0, 0, 0, 2]))).toEqual([1]);
    expect(all("BYTES", new Uint8Array([1, 0, 0, 0, 65, 9, 0, 0, 0, 66]))).toEqual(["A"]);
  });
  it("keeps what is not UTF-8 as bytes, both ways", () => {
    const raw = new Uint8Array([2, 0, 0, 0, 0xff, 0x01]);
    expect(all("BYTES", raw)).toEqual([new Uint8Array([0xff, 0x01])]);
    expect(encode("BYTES", all("BYTES", raw))).toEqual(raw);
  });
  it("keeps the mark of byte order at the beginning of a text", () => {
    const raw = new Uint8Array([4, 0, 0, 0, 0xef, 0xbb, 0xbf, 65]);
    expect(encode("BYTES", all("BYTES", raw))).toEqual(raw);
  });
});

it("counts and measures", () => {
  expect(elementCount([])).toBe(1);
  expect(elementCount([2, 3])).toBe(6);
  expect(elementCount([-1, 3])).toBeNaN();
  expect(elementSize("BYTES")).toBe(0);
  expect(elementSize("toString")).toBe(0);
  expect(clampTo("UINT8", 300)).toBe(255);
  expect(clampTo("INT8", -3.6)).toBe(-4);
  expect(clampTo("FP32", 300.5)).toBe(300.5);
});
