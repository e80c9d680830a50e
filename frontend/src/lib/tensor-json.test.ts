import { describe, expect, it } from "vitest";
import { decode, type Element, encode } from "./tensor";
import { complaint, elementText, parseValues, toJson } from "./tensor-json";

describe("reading", () => {
  it.each([
    ["[1, 2]", [2], [1, 2]],
    ["3", [], [3]],
    ["1, 2 3", [3], [1, 2, 3]],
    ["[[1],[2],[3]]", [3, 1], [1, 2, 3]],
    ["[NaN, -Infinity, Infinity]", [3], [Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]],
    ["[nan, -inf, inf]", [3], [Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]],
    ["nan, -Inf", [2], [Number.NaN, Number.NEGATIVE_INFINITY]],
    ["[True, False]", [2], [true, false]],
    ['["nan", "True"]', [2], ["nan", "True"]],
    ['["NaN", "a\\"b"]', [2], ["NaN", 'a"b']],
    ["[true,false]", [2], [true, false]],
    ["[9007199254740993]", [1], [9007199254740993n]],
    ["[]", [0], []],
    ['["\\u0000NaN"]', [1], ["\0NaN"]],
    ['[{"b64": "/9g="}]', [1], [new Uint8Array([0xff, 0xd8])]],
  ])("%s", (text, shape, values) => expect(parseValues(text)).toEqual({ shape, values }));

  it.each([
    ["", "No values yet"],
    ["[1, ", "The list ends after a comma"],
    ["[1, abc]", '"abc" is not a value'],
    ["[1, nano]", '"nano" is not a value'],
    ['{"a": 1', "Not JSON"],
    ["[[1,2],[3]]", "Rows differ in length: row 1 holds 2 values, row 2 holds 1 value"],
    ["[[1],2]", "row 2 holds a single value"],
    ["[1e400]", "1e400 is too large for every type: FP64 ends at 1.8e308"],
    ['[{"b64": "é"}]', 'The text after "b64" is not base64'],
    ["[null]", "null is not a tensor element"],
    ['[{"a":1}]', "An object is not a tensor element"],
  ])("%s is refused", (text, message) => expect(() => parseValues(text)).toThrow(message));
});

it.each<[string, Element[], string]>([
  ["FP32", [1, 2.5, Number.POSITIVE_INFINITY], ""],
  ["FP16", [65504, 65519, -65504], ""],
  ["FP16", [70000], "The value is 70000: FP16 ends at 65504. Write Infinity to send an infinity"],
  ["FP16", [0, -65520], "Value 2 is -65520: FP16 ends at -65504. Write -Infinity to send an infinity"],
  ["BF16", [1e39], "BF16 ends at 3.39e38"],
  ["FP32", [1e39], "FP32 ends at 3.4e38"],
  ["FP64", [10n ** 400n], "FP64 ends at 1.8e308"],
  ["INT64", [1, 5n], ""],
  ["INT32", [1.5], "The value is 1.5: INT32 takes whole numbers from -2147483648 to 2147483647"],
  ["UINT8", [0, 256], "Value 2 is 256: UINT8 takes whole numbers from 0 to 255"],
  ["UINT64", [2n ** 64n], "takes whole numbers from 0 to 18446744073709551615"],
  ["INT64", [2 ** 63], "takes whole numbers from -9223372036854775808 to 9223372036854775807"],
  ["INT32", [true], "The value is true: INT32 takes whole numbers"],
  ["FP32", ["1"], 'The value is the string "1": FP32 takes numbers'],
  ["BYTES", ["a", 1], 'Value 2 is 1, without quotes: BYTES takes strings, such as "1"'],
  ["BYTES", ["a", new Uint8Array([0xff])], ""],
  ["BOOL", [true, 1, 0], ""],
  ["BOOL", [2], "The value is 2: BOOL takes true and false"],
  ["F32", [1], "F32 is not a data type of tensors"],
  ["INVALID", [1], "The config gives this input no data type"],
  ["", [1], "The config gives this input no data type"],
])("$0: $2", (datatype, values, sentence) => {
  const said = complaint(datatype, values);
  if (sentence) expect(said).toContain(sentence);
  else expect(said).toBe("");
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
    expect(elementText("BYTES", "a\u202eb")).toBe('"a\\u202eb"');
  });
  it("shows bytes that are no text as bytes, and writes them so that they can be read again", () => {
    const raw = encode("BYTES", ["a", new Uint8Array([0xff, 0xd8])]);
    expect(elementText("BYTES", decode("BYTES", raw).at(1))).toBe("2 bytes: ff d8");
    const text = toJson("BYTES", [2], decode("BYTES", raw));
    expect(text).toBe('["a", {"b64": "/9g="}]');
    expect(encode("BYTES", parseValues(text).values)).toEqual(raw);
  });
});
