import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { GetGraphResponseSchema, GraphNode_Kind } from "../../api/conch_pb";
import { markBroken } from "./broken";

const A = { name: "A", datatype: "FP32" };

const graph = (
  step: { problem?: string; inputs?: { name: string; datatype?: string }[] },
  edge: { problem?: string } = {},
) =>
  create(GetGraphResponseSchema, {
    nodes: [
      { id: "input:X", kind: GraphNode_Kind.INPUT, label: "X" },
      { id: "step:0", kind: GraphNode_Kind.STEP, model: "add_sub", ...step },
    ],
    edges: [{ id: "e", source: "input:X", target: "step:0", targetPort: "FIRST", ...edge }],
  });

const problemOf = (of: ReturnType<typeof graph>) => markBroken(of).edges[0]?.problem;

it("takes the step's own words where they name the port", () => {
  const problem = 'model "add_sub" has no input "FIRST"; it has "A"';
  expect(problemOf(graph({ problem, inputs: [A] }))).toBe(problem);
});

it("says what is missing where the step's problem is another one", () =>
  expect(problemOf(graph({ problem: "no version 3", inputs: [A] }))).toBe(
    'model "add_sub" has no input "FIRST"',
  ));

it("does not take a stand-in for a port", () =>
  expect(problemOf(graph({ problem: "no version 3", inputs: [A, { name: "FIRST" }] }))).toBe(
    'model "add_sub" has no input "FIRST"',
  ));

it("blames every line at a model that does not exist", () =>
  expect(problemOf(graph({ problem: "there is no model" }))).toBe("there is no model"));

it("does not judge a model of which nothing is known", () => expect(problemOf(graph({}))).toBe(""));

it("leaves what fits, and what is broken already", () => {
  expect(problemOf(graph({ problem: "no version 3", inputs: [{ ...A, name: "FIRST" }] }))).toBe("");
  expect(problemOf(graph({ inputs: [A] }, { problem: "types differ" }))).toBe("types differ");
});
