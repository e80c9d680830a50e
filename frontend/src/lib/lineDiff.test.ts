import { expect, test } from "vitest";
import { lineDiff } from "./lineDiff";

const drawn = (before: string, after: string) =>
  lineDiff(before, after).map(({ kind, text }) => `${{ same: " ", added: "+", removed: "-" }[kind]}${text}`);

test("one line changed", () => expect(drawn("a\nb\nc", "a\nx\nc")).toEqual([" a", "-b", "+x", " c"]));
test("a line in between", () => expect(drawn("a\nc", "a\nb\nc")).toEqual([" a", "+b", " c"]));
test("what moved apart", () =>
  expect(drawn("a\nb\nc\nd", "b\nc\ne\nd")).toEqual(["-a", " b", " c", "+e", " d"]));
test("nothing before", () => expect(drawn("", "a")).toEqual(["-", "+a"]));
test("line ends do not count", () => expect(drawn("a\r\nb", "a\nb")).toEqual([" a", " b"]));
