import {
  ensureSyntaxTree,
  getIndentation,
  IndentContext,
  indentUnit,
  StreamLanguage,
} from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { describe, expect, test } from "vitest";
import { pbtxt, pbtxtParser } from "./pbtxt";

/** The kinds of a text's coloured tokens, in order. */
function kinds(text: string): string[] {
  const state = EditorState.create({ doc: text, extensions: StreamLanguage.define(pbtxtParser) });
  const found: string[] = [];
  ensureSyntaxTree(state, text.length, 1000)?.iterate({
    enter: (node) => {
      if (node.name !== "Document") found.push(`${text.slice(node.from, node.to)}:${node.name}`);
    },
  });
  return found;
}

test.each([
  ['name: "digits" # why', ["name:propertyName", '"digits":string', "# why:comment"]],
  ["max_batch_size: 32", ["max_batch_size:propertyName", "32:number"]],
  ["data_type: TYPE_FP32", ["data_type:propertyName", "TYPE_FP32:atom"]],
  ["kind: [ KIND_CPU, KIND_GPU ]", ["kind:propertyName", "KIND_CPU:atom", "KIND_GPU:atom"]],
  ["input [ { name: 'a' } ]", ["input:propertyName", "name:propertyName", "'a':string"]],
  ["dynamic_batching { }", ["dynamic_batching:propertyName"]],
  ["dims: [ -1, 0x10 ]", ["dims:propertyName", "-1:number", "0x10:number"]],
  ["step: [ { model_name: x } ]", ["step:propertyName", "model_name:propertyName", "x:atom"]],
])("%s", (text, expected) => expect(kinds(text)).toEqual(expected));

test("broken text does not stop it", () => {
  expect(() => kinds('"open \\ } ] : : \u0000 é 💥 <')).not.toThrow();
});

describe("the indentation of a new line", () => {
  const indent = (text: string, double = false) => {
    const pos = text.indexOf("|");
    const state = EditorState.create({
      doc: text.replace("|", ""),
      extensions: [pbtxt(), indentUnit.of("  ")],
    });
    return getIndentation(new IndentContext(state, { simulateBreak: pos, simulateDoubleBreak: double }), pos);
  };
  test.each([
    ["below an open bracket", "  step [|", 4],
    ["below a closed one", "  step [\n    {\n    },|", 4],
    ["below a line of its own brackets", "    dims: [ 1 ]|", 4],
    ["below a comment with a bracket", "  # a {|", 2],
    ["at the begin", "|", 0],
    ["before the bracket that closes", "  step [|]", 2],
  ])("%s", (_, text, expected) => expect(indent(text)).toBe(expected));
  test("between two brackets", () => expect(indent("    {|}", true)).toBe(6));
});
