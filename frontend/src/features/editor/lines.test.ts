import { EditorState, Text } from "@codemirror/state";
import { describe, expect, test } from "vitest";
import { lineBreakOf, smallestChange, toDoc, toText } from "./lines";

describe("lineBreakOf", () => {
  test.each([
    ["a\r\nb\r\n", "\r\n"],
    ["a\nb", "\n"],
    ["a\r\nb\nc", "\n"],
    ["a\rb", "\n"],
    ["", "\n"],
  ])("%j", (text, expected) => expect(lineBreakOf(text)).toBe(expected));
});

test("every byte comes back, whatever ends the lines", () => {
  for (const text of ["a\r\nb\r\n", "a\nb", "a\r\nb\nc\rd", "\uFEFFname", "", "\r\n\r\n"]) {
    const state = EditorState.create({
      doc: text,
      extensions: EditorState.lineSeparator.of(lineBreakOf(text)),
    });
    expect(state.sliceDoc()).toBe(text);
  }
});

describe("offsets of a CRLF text", () => {
  const text = "ab\r\ncd\r\n\r\nef";
  const doc = Text.of(text.split("\r\n"));
  test.each([
    [0, 0],
    [2, 2],
    [4, 3],
    [6, 5],
    [8, 6],
    [10, 7],
    [12, 9],
  ])("text offset %i is editor place %i", (offset, pos) => {
    expect(toDoc(doc, offset, "\r\n")).toBe(pos);
    expect(toText(doc, pos, "\r\n")).toBe(offset);
  });
  test("the middle of a line break is its begin", () => expect(toDoc(doc, 3, "\r\n")).toBe(2));
  test("offsets outside of the text are cut", () => expect(toDoc(doc, 99, "\r\n")).toBe(doc.length));
});

test.each([
  ["abc", "abXc"],
  ["aaa", "aaaa"],
  ["abc", "abc"],
  ["", "x"],
  ["hello", ""],
  ["abcabc", "abc"],
])("smallestChange from %j to %j", (before, after) => {
  const { from, to, insert } = smallestChange(before, after);
  expect(before.slice(0, from) + insert + before.slice(to)).toBe(after);
});
