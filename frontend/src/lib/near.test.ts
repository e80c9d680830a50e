import { expect, test } from "vitest";
import { distance, nearest } from "./near";

test.each([
  ["", "abc", 3],
  ["clasify", "classify", 1],
  ["classfiy", "classify", 1],
  ["abc", "abc", 0],
  ["kitten", "sitting", 3],
])("%s and %s are %i apart", (a, b, apart) => expect(distance(a, b)).toBe(apart));

test("a misspelt word means the nearest one, and a strange one none", () => {
  const words = ["classify", "class", "add_sub", "digits"];
  expect(nearest("clasify", words)).toBe("classify");
  expect(nearest("Add-Sub", words)).toBe("add_sub");
  expect(nearest("digit", words)).toBe("digits");
  expect(nearest("resnet", words)).toBeUndefined();
});
