import { expect, test } from "vitest";
import { fits, rank } from "./paletteSearch";

test("whole name, its begin, a word of it, a part of it, its letters in order", () => {
  const ranks = [
    rank("digits", "digits"),
    rank("digits_prepare", "digits"),
    rank("read_digit", "digit"),
    rank("readdigit", "digit"),
    rank("read_digit", "rdt"),
  ];
  expect(ranks).toEqual([0, 1, 2, 3, 4]);
});
test("what is not there", () => expect(rank("digits", "xyz")).toBeUndefined());
test("a command by its other words", () => {
  const command = { label: "Requests", words: "history", run: () => undefined };
  expect(fits(command, "hist")).toBe(true);
  expect(fits(command, "metrics")).toBe(false);
});
