import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import {
  GraphEdgeSchema,
  GraphNode_Kind,
  GraphNodeSchema,
  InferResponseSchema,
  StepTimingSchema,
  TensorSpecSchema,
  TimingsSchema,
} from "../../api/conch_pb";
import { arrange, choose } from "./layout";
import { waterfallOf } from "./waterfall";

const tensor = (name: string) => create(TensorSpecSchema, { name, datatype: "FP32", shape: [-1n, 64n] });
const node = (id: string, kind: GraphNode_Kind) =>
  create(GraphNodeSchema, { id, kind, label: id, inputs: [tensor("a")], outputs: [tensor("b")] });
const edge = (source: string, target: string, problem = "") =>
  create(GraphEdgeSchema, {
    id: `${source}>${target}`,
    source,
    target,
    tensor: "t",
    datatype: "FP32",
    shape: [-1n, 64n],
    problem,
  });

const nodes = [
  node("input:X", GraphNode_Kind.INPUT),
  node("step:0", GraphNode_Kind.STEP),
  node("step:1", GraphNode_Kind.STEP),
  node("output:Y", GraphNode_Kind.OUTPUT),
];

it("goes from left to right without overlaps", () => {
  const { nodes: placed, edges } = arrange(
    nodes,
    [edge("input:X", "step:0"), edge("step:0", "step:1"), edge("step:1", "output:Y")],
    "right",
  );
  for (let i = 1; i < placed.length; i++) {
    const before = placed[i - 1];
    expect(placed[i]?.position.x).toBeGreaterThan((before?.position.x ?? 0) + (before?.width ?? 0));
  }
  expect(edges.map(({ label }) => label !== undefined)).toEqual([false, true, false]);
});

it("labels broken edges wherever they are, and survives edges to nowhere", () => {
  const { edges } = arrange(
    nodes,
    [
      edge("input:X", "step:0", "types differ"),
      edge("step:0", "step:9"),
      edge("step:1", "step:0"),
      edge("step:0", "step:1"),
    ],
    "right",
  );
  expect(edges).toHaveLength(3);
  expect(edges[0]?.label).toBeDefined();
});

it("runs downwards where a pane is narrow", () => {
  const edges = [edge("input:X", "step:0"), edge("step:0", "step:1"), edge("step:1", "output:Y")];
  const right = arrange(nodes, edges, "right");
  const down = arrange(nodes, edges, "down");
  expect(down.height).toBeGreaterThan(down.width);
  expect(choose(right, down, { width: 1200, height: 600 })).toBe(right);
  expect(choose(right, down, { width: 500, height: 600 })).toBe(down);
});

it("orders steps as the ports that feed them", () => {
  const fork = [
    { ...nodes[1], outputs: [tensor("a"), tensor("b")] } as (typeof nodes)[0],
    node("step:1", GraphNode_Kind.STEP),
    node("step:2", GraphNode_Kind.STEP),
  ];
  for (const [toOne, toTwo] of [
    ["a", "b"],
    ["b", "a"],
  ] as const) {
    const edges = [
      { ...edge("step:0", "step:1"), sourcePort: toOne, targetPort: "a" },
      { ...edge("step:0", "step:2"), sourcePort: toTwo, targetPort: "a" },
    ];
    const y = new Map(
      arrange(fork, edges, "right").nodes.map((placed) => [placed.node.id, placed.position.y]),
    );
    expect((y.get("step:1") ?? 0) < (y.get("step:2") ?? 0)).toBe(toOne === "a");
  }
});

it("gives a step a port for every edge, also one that the model lacks", () => {
  const wrong = { ...edge("step:0", "step:1"), sourcePort: "b", targetPort: "nobody" };
  const { nodes: placed } = arrange(nodes, [wrong], "right");
  expect(placed.find((p) => p.node.id === "step:1")?.node.inputs.map(({ name }) => name)).toEqual([
    "a",
    "nobody",
  ]);
  expect(placed.find((p) => p.node.id === "step:0")?.node.outputs.map(({ name }) => name)).toEqual(["b"]);
});

const step = (index: number, model: string, start: number, took: number) =>
  create(StepTimingSchema, {
    step: index,
    model,
    startNs: BigInt(start),
    timings: create(TimingsSchema, { totalNs: BigInt(took), inferNs: BigInt(took) }),
  });
const response = (...steps: ReturnType<typeof step>[]) =>
  create(InferResponseSchema, {
    ok: true,
    steps,
    span: { receivedNs: 100_000n },
    timings: create(TimingsSchema, { totalNs: 800_000n, roundTripNs: 1_000_000n }),
  });

it("tells where the time went", () => {
  const fall = waterfallOf(response(step(0, "a", 0, 250_000), step(1, "b", 250_000, 500_000)));
  expect(fall?.rows.map(({ name, left, width }) => [name, left, width])).toEqual([
    ["a", 10, 25],
    ["b", 35, 50],
  ]);
  expect(fall?.phrase).toBe("one step after another");
  expect(fall?.totalMs).toBe(1);
});

it("counts steps side by side, and tells twins apart", () => {
  const fall = waterfallOf(response(step(0, "a", 0, 10), step(1, "b", 10, 500), step(2, "b", 10, 400)));
  expect(fall?.phrase).toBe("two steps side by side");
  expect(fall?.rows.map((row) => row.name)).toEqual(["a", "b (step 2)", "b (step 3)"]);
  expect(waterfallOf(response())).toBeUndefined();
});

it("takes the type of the ensemble's own tensors from their edges", () => {
  const bare = create(GraphNodeSchema, { id: "input:X", kind: GraphNode_Kind.INPUT, label: "X" });
  const { nodes: placed } = arrange(
    [bare, nodes[1] as (typeof nodes)[0]],
    [edge("input:X", "step:0")],
    "right",
  );
  expect(placed.find((p) => p.node.id === "input:X")?.node.outputs[0]).toMatchObject({
    datatype: "FP32",
    shape: [-1n, 64n],
  });
});
