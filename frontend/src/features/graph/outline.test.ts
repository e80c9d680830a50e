import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { GetGraphResponseSchema, GraphNode_Kind } from "../../api/conch_pb";
import { mostSpoken, outline, spoken } from "./outline";

const chain = (count: number) =>
  create(GetGraphResponseSchema, {
    nodes: Array.from({ length: count }, (_, i) => ({
      id: `step:${i}`,
      label: `stage_${i}`,
      kind: GraphNode_Kind.STEP,
    })),
    edges: Array.from({ length: count - 1 }, (_, i) => ({
      id: `e${i}`,
      source: `step:${i}`,
      target: `step:${i + 1}`,
      tensor: `t${i}`,
    })),
  });

it("reads all of a small graph", () => {
  const graph = chain(5);
  expect(spoken(graph, outline(graph), "")).toHaveLength(9);
});

it("reads a bounded part of a large graph, with what is chosen and what is joined to it", () => {
  const graph = chain(200);
  const ids = spoken(graph, outline(graph), "step:150").map(({ id }) => id);
  expect(ids).toHaveLength(mostSpoken);
  expect(ids.slice(0, 3)).toEqual(["step:150", "e149", "e150"]);
});
