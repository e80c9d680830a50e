import { expect, it } from "vitest";
import { readNumber } from "./numbers";

const dimension = { name: "Dimension 2", whole: true, least: 0, most: 1_000_000_000 };
const side = { name: "Width", whole: true, least: 1, most: 4096 };

it.each([
  [dimension, "12", 12],
  [dimension, " 0 ", 0],
  [{ name: "From" }, "-1.5e3", -1500],
  [{ name: "From" }, "−2", -2],
  [{ name: "From" }, ".5", 0.5],
])("%j takes %j", (rule, text, value) => expect(readNumber(rule, text)).toEqual({ value }));

it.each([
  [dimension, "abc", 'Dimension 2 is "abc": type a whole number, 0 or more'],
  [dimension, "-5", "Dimension 2 is -5: type a whole number, 0 or more"],
  [dimension, "1.5", "Dimension 2 is 1.5: type a whole number, 0 or more"],
  [dimension, "", "Dimension 2 is empty: type a whole number, 0 or more"],
  [dimension, "0x10", 'Dimension 2 is "0x10": type a whole number, 0 or more'],
  [dimension, "2000000000", "Dimension 2 is 2000000000: the largest is 1,000,000,000"],
  [side, "0", "Width is 0: type a whole number from 1 to 4,096"],
  [{ name: "Std", notZero: true }, "0", "Std is 0: type a number other than 0"],
  [{ name: "From" }, "1e999", 'From is "1e999": type a number'],
  [{ name: "From" }, "x".repeat(30), `From is "${"x".repeat(24)}…": type a number`],
])("%j refuses %j", (rule, text, problem) => expect(readNumber(rule, text)).toEqual({ problem }));
