import { describe, expect, it } from "vitest";
import { decode, encode } from "./tensor";
import { complaint, elementText, parseValues, toJson } from "./tensor-json";

describe("reading", () => {
  it.each([
    ["[1, 2]", [2], [1, 2]],
    ["3", [], [3]],
    ["[[1],[2],[3]]", [3, 1], [1, 2, 3]],
    ["[NaN, -Infinity, Infinity]", [3], [Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]],
    ['["NaN", "a\\"b"]', [2], ["NaN", 'a"b']],
    ["[true,false]", [2], [true, false]],
    ["[9007199254740993]", [1], [9007199254740993n]],
    ["[]", [0], []],
  ])("%s", (text, shape, values) => expect(parseValues(text)).toEqual({ shape, values }));

  it.each([
    ["", "No values yet"],
    ["[1, ", "Not JSON"],
    ["[[1,2],[3]]", "Rows differ: element 1 at depth 1 holds [1], the first holds [2]"],
    ["[[1],2]", "holds a single value"],
    ["[null]", "null is not a tensor element"],
    ['[{"a":1}]', "An object is not a tensor element"],
  ])("%s is refused", (text, message) => expect(() => parseValues(text)).toThrow(message));
});

it("complains about elements of another type", () => {
  expect(complaint("FP32", [1, 2.5])).toBe("");
  expect(complaint("INT64", [1, 5n])).toBe("");
  expect(complaint("INT32", [1.5])).toBe("Element 0 is 1.5; INT32 takes whole numbers");
  expect(complaint("UINT8", [0, 256])).toBe("Element 1 is 256, outside UINT8");
  expect(complaint("BYTES", ["a", 1])).toBe("Element 1 is a number; BYTES takes strings");
  expect(complaint("BOOL", [true, 1, 0])).toBe("");
  expect(complaint("BOOL", [2])).toContain("BOOL takes booleans");
});

describe("writing", () => {
  const fp32 = (values: number[]) => decode("FP32", encode("FP32", values));
  it("nests by shape", () =>
    expect(toJson("FP32", [2, 2], fp32([1, 2, 3, 4]))).toBe("[\n  [1, 2],\n  [3, 4]\n]"));
  it("stops at the limit", () => expect(toJson("FP32", [4], fp32([1, 2, 3, 4]), 2)).toBe("[1, 2, …]"));
  it("shows floats without false digits", () => {
    expect(elementText("FP32", Math.fround(0.1))).toBe("0.1");
    expect(elementText("FP64", 0.1)).toBe("0.1");
    expect(elementText("INT64", 9007199254740993n)).toBe("9007199254740993");
    expect(elementText("BYTES", "a")).toBe('"a"');
  });
});
