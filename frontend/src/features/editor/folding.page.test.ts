import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { foldOf } from "./folding";
import { pbtxt } from "./pbtxt";

/** What folding the first line hides. */
function folded(text: string): string | null {
  const state = EditorState.create({ doc: text, extensions: pbtxt() });
  const { from, to } = state.doc.line(1);
  const fold = foldOf(state, from, to);
  return fold && text.slice(fold.from, fold.to);
}

test.each([
  ["input [\n  { }\n]\n", "\n  { }\n"],
  ["input { dims: [ 1 ]\n}", " dims: [ 1 ]\n"],
  ["dims: [ 1 ]", null],
  ["input [ {\n  a: 1\n} ]", "\n  a: 1\n"],
  ["never {\n  closed: 1", null],
  ["# a { comment\n}", null],
  ['name: "{"\n}', null],
])("%j", (text, expected) => expect(folded(text)).toBe(expected));
