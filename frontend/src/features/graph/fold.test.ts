import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { GraphEdgeSchema, GraphNode_Kind, GraphNodeSchema, TensorSpecSchema } from "../../api/conch_pb";
import { toNodes } from "./flow";
import { fitsStraight } from "./fold";
import { layered } from "./layered";
import { type Layout, layoutOf, planOf, whole } from "./layout";
import { openingView, showsAll } from "./viewport";

const tensor = (name: string) => create(TensorSpecSchema, { name, datatype: "FP32", shape: [-1n, 64n] });
const node = (id: string, kind: GraphNode_Kind) =>
  create(GraphNodeSchema, { id, kind, label: id, inputs: [tensor("a")], outputs: [tensor("b")] });
const edge = (source: string, target: string) =>
  create(GraphEdgeSchema, { id: `${source}>${target}`, source, target, tensor: "t", datatype: "FP32" });

/** Steps one after the other, with an input at the first and an output at the last; and other edges. */
function chainOf(count: number, ...others: ReturnType<typeof edge>[]): Layout {
  const graph = graphOf(count, ...others);
  const plan = planOf(graph, new Map());
  return layoutOf(graph, layered(plan.boxes, plan.lines));
}

function graphOf(count: number, ...others: ReturnType<typeof edge>[]) {
  const steps = Array.from({ length: count }, (_, i) => node(`step:${i}`, GraphNode_Kind.STEP));
  const ids = ["input:X", ...steps.map(({ id }) => id), "output:Y"];
  return whole({
    nodes: [node("input:X", GraphNode_Kind.INPUT), ...steps, node("output:Y", GraphNode_Kind.OUTPUT)],
    edges: [...ids.slice(1).map((id, i) => edge(ids[i] ?? "", id)), ...others],
  });
}

const around = (layout: Layout) => layout.edges.some((one) => one.around);
const xs = (points: readonly { readonly x: number }[]) => points.map(({ x }) => x);

it.each([1, 3, 5, 20])("goes straight from the input through %i steps to the output", (count) => {
  const layout = chainOf(count);
  expect(around(layout)).toBe(false);
  for (const { points } of layout.edges)
    expect(xs(points)).toEqual(xs(points).sort((one, other) => one - other));
});

it("shows all of one step with its input and output at 1280", () => {
  const room = { width: 594, height: 480 };
  const layout = chainOf(1);
  expect(showsAll(layout, openingView(layout, room), room)).toBe(true);
});

it("folds two steps, that they fit at 1280; an input has a handle at each side where lines leave", () => {
  const further = (layout: Layout) =>
    toNodes(layout, new Map(), { selected: "", found: new Set() }).flatMap(({ id, data }) =>
      data.further ? [id] : [],
    );
  const two = chainOf(2);
  expect([around(two), further(two)]).toEqual([true, []]);
  const skips = chainOf(2, edge("input:X", "step:1"));
  expect([around(skips), further(skips)]).toEqual([true, ["input:X"]]);
});

it("draws two steps straight where the drawing is wide enough", () => {
  const graph = graphOf(2);
  expect([594, 1234].map((width) => fitsStraight(graph, width))).toEqual([false, true]);
  const plan = planOf(graph, new Map(), true);
  expect(around(layoutOf(graph, layered(plan.boxes, plan.lines), undefined, true))).toBe(false);
});
