import { expect, test } from "vitest";
import { holdsText, numberTextPhrase, readNumberText } from "./numberText";

test.each([
  ["1 2 3", [3], [1, 2, 3]],
  ["1, 2, 3\n4,5 , 6\n", [2, 3], [1, 2, 3, 4, 5, 6]],
  ["\ufeff1;2\r\n3;4\r\n", [2, 2], [1, 2, 3, 4]],
  ["1\n2\n3", [3], [1, 2, 3]],
  ["1 2 3\n4 5", [5], [1, 2, 3, 4, 5]], // lines that wrap
  ["# from numpy\n+1.5e+00\t.5\n-.25\t2.\n", [2, 2], [1.5, 0.5, -0.25, 2]],
  ["[[1, 2], [3, 4]]", [2, 2], [1, 2, 3, 4]],
  ["007, -inf, NaN", [3], [7, Number.NEGATIVE_INFINITY, Number.NaN]],
])("reads %j", (text, shape, values) => {
  expect(readNumberText(text, "FP32")).toEqual({ shape, values, named: false });
});

test("a first line of names is no row, and it is said", () => {
  const read = readNumberText('"width","height"\n1,2\n3,4\n5,6', "INT32");
  expect(read).toEqual({ shape: [3, 2], values: [1, 2, 3, 4, 5, 6], named: true });
  expect(numberTextPhrase(read)).toBe(
    "3 rows of 2 numbers, read from its text; the first line has names and is left out",
  );
});

test.each([
  ["1,2\n3,four", '"four" is not a number (line 2)'],
  ["1,,2", "a value is missing (line 1)"],
  ["hello", '"hello" is not a number (line 1)'],
  [" \n", "the text holds no numbers"],
])("%j is refused with its place", (text, words) => {
  expect(() => readNumberText(text, "FP32")).toThrow(words);
});

test("only files of text are read so", () => {
  const read = (name: string, type = "") => holdsText({ name, type });
  expect(["a.txt", "a.CSV", "a.tsv", "a.json"].map((name) => read(name))).toEqual([true, true, true, true]);
  expect(["a.bin", "a.raw", "a.npy", "a"].map((name) => read(name))).toEqual([false, false, false, false]);
  expect([read("a.bin", "text/plain"), read("values", "text/plain")]).toEqual([false, true]);
});
