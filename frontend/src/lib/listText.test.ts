import { expect, it } from "vitest";
import { bracketed, whyNoList } from "./listText";
import { parseValues } from "./tensor-json";

it.each([
  ["1, 2,3", "[1, 2, 3]"],
  [" 1 2\n3 ", "[1, 2, 3]"],
  ["7", "7"],
  ["[1, 2]", "[1, 2]"],
  ['"a b"', '"a b"'],
])("%j is read as %j", (text, list) => expect(bracketed(text)).toBe(list));

it.each([
  ["FP32", "abc", '"abc" is not a value: type numbers, as FP32 takes'],
  ["INT64", "abc", '"abc" is not a value: type whole numbers, as INT64 takes'],
  ["BOOL", "yes", '"yes" is not a value: type true or false'],
  ["BYTES", "[a]", '"a" is not a value: type strings in double quotes'],
])("%s says what it takes instead of %s", (datatype, text, sentence) =>
  expect(() => parseValues(text, datatype)).toThrow(new Error(sentence)),
);

it.each([
  ["[1, 2", "A closing ] is missing at the end"],
  ["[1, ", "The list ends after a comma: a value and ] are missing"],
  ["[1,]", "A value is missing between the comma and the ]"],
  ["[,1]", "A value is missing before the comma"],
  ["[1 2]", "A comma is missing before 2"],
  ["[[1]\n[2]]", "A comma is missing before [ (line 2)"],
  ["[1]]", "There is one ] too many"],
  ["[1] 2", "There is text after the values: remove it"],
  ['"a", "b"', "Several values need brackets around them, such as [1, 2, 3]"],
  ["abc", '"abc" is not a value: type numbers, true or false, or strings in double quotes'],
  ["[1, 0x10]", '"0x10" is not a value'],
  ["[1.]", '"1." is not a value'],
  ['["a]', "A closing quote is missing"],
  ['{"a": 1}', ""],
  ["[1, NaN, -Infinity, 1e5, null]", ""],
  ["[nan, -inf, Inf, True, False]", ""],
])("%j: %s", (text, sentence) => {
  if (sentence) expect(whyNoList(text)).toContain(sentence);
  else expect(whyNoList(text)).toBe("");
});
