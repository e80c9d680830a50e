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
import { find } from "./find";
import { layered } from "./layered";
import { beforeOf, type Layout, layoutOf, planOf, whole } from "./layout";
import { outline } from "./outline";
import { readableZoom } from "./sizes";
import { openingView } from "./viewport";
import { stepTo } from "./walk";
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

function arrange(list: typeof nodes, edges: ReturnType<typeof edge>[], old?: Layout): Layout {
  const graph = whole({ nodes: list, edges });
  const plan = planOf(graph, beforeOf(old));
  return layoutOf(graph, layered(plan.boxes, plan.lines), old);
}

const chain = [edge("input:X", "step:0"), edge("step:0", "step:1"), edge("step:1", "output:Y")];

it("goes from left to right without overlaps", () => {
  const { nodes: placed, edges } = arrange(nodes, chain);
  for (let i = 1; i < placed.length; i++) {
    const before = placed[i - 1];
    expect(placed[i]?.position.x).toBeGreaterThan((before?.position.x ?? 0) + (before?.width ?? 0));
  }
  expect(edges.map(({ label }) => label !== undefined)).toEqual([false, true, false]);
});

it("labels broken edges wherever they are, and survives edges to nowhere and circles", () => {
  const { edges } = arrange(nodes, [
    edge("input:X", "step:0", "types differ"),
    edge("step:0", "step:9"),
    edge("step:1", "step:0"),
    edge("step:0", "step:1"),
  ]);
  expect(edges).toHaveLength(3);
  expect(edges[0]?.label).toBeDefined();
});

it("draws parallel branches in one column, one under the other", () => {
  const steps = ["a", "b", "c", "d"].map((id) => node(`step:${id}`, GraphNode_Kind.STEP));
  const edges = steps.flatMap(({ id }) => [
    { ...edge("input:X", id), sourcePort: "b", targetPort: "a" },
    { ...edge(id, "output:Y"), id: `${id}>Y`, sourcePort: "b" },
  ]);
  const { nodes: placed } = arrange([nodes[0] as never, ...steps, nodes[3] as never], edges);
  const branches = placed.filter(({ node: { kind } }) => kind === GraphNode_Kind.STEP);
  expect(new Set(branches.map(({ position }) => position.x)).size).toBe(1);
  const tops = branches.map(({ position }) => position.y).sort((a, b) => a - b);
  for (let i = 1; i < tops.length; i++)
    expect((tops[i] ?? 0) - (tops[i - 1] ?? 0)).toBeGreaterThanOrEqual((branches[0]?.height ?? 0) + 20);
});

it("ends its lines at their tensors' handles", () => {
  const wired = { ...edge("step:0", "step:1"), sourcePort: "b", targetPort: "a" };
  const { nodes: placed, edges } = arrange(nodes, [wired]);
  const [source, target] = [placed[1], placed[2]];
  const points = edges[0]?.points ?? [];
  expect(points[0]).toEqual({
    x: (source?.position.x ?? 0) + (source?.width ?? 0),
    y: (source?.position.y ?? 0) + 53,
  });
  expect(points.at(-1)).toEqual({ x: target?.position.x, y: (target?.position.y ?? 0) + 53 });
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
    const y = new Map(arrange(fork, edges).nodes.map((placed) => [placed.node.id, placed.position.y]));
    expect((y.get("step:1") ?? 0) < (y.get("step:2") ?? 0)).toBe(toOne === "a");
  }
});

it("gives a step a port for every edge, also one that the model lacks", () => {
  const wrong = { ...edge("step:0", "step:1"), sourcePort: "b", targetPort: "nobody" };
  const { nodes: placed } = arrange(nodes, [wrong]);
  const ports = (id: string, side: "inputs" | "outputs") =>
    placed.find((p) => p.node.id === id)?.node[side].map(({ name }) => name);
  expect(ports("step:1", "inputs")).toEqual(["a", "nobody"]);
  expect(ports("step:0", "outputs")).toEqual(["b"]);
});

const long = (count: number) => {
  const steps = Array.from({ length: count }, (_, i) => node(`step:${i}`, GraphNode_Kind.STEP));
  const edges = steps
    .slice(1)
    .map(({ id }, i) => ({ ...edge(`step:${i}`, id), sourcePort: "b", targetPort: "a" }));
  return { steps, edges };
};

it("lays a thousand steps out in time", () => {
  const { steps, edges } = long(1000);
  const from = performance.now();
  arrange(steps, edges);
  expect(performance.now() - from).toBeLessThan(3000);
});

it("leaves what was there where it was when an edge is added", () => {
  const { steps, edges } = long(30);
  const old = arrange(steps, edges);
  const added = { ...edge("step:3", "step:5"), sourcePort: "b", targetPort: "other" };
  const now = arrange(steps, [...edges, added], old);
  const moved = now.nodes.map(({ position: { x, y } }, i) => {
    const before = old.nodes[i]?.position ?? { x: 0, y: 0 };
    return Math.hypot(x - before.x, y - before.y);
  });
  expect(Math.max(...moved)).toBeLessThan(200);
});

it("never opens below a size at which names can be read", () => {
  const { steps, edges } = long(200);
  const view = openingView(arrange(steps, edges), { width: 600, height: 400 });
  expect(view.zoom).toBeCloseTo(readableZoom);
  expect(12 * view.zoom).toBeGreaterThanOrEqual(10.99);
  expect(view.x).toBeGreaterThan(0);
});

it("walks along edges with the arrows", () => {
  const layout = arrange(nodes, chain);
  expect(stepTo(layout, "", "ArrowRight")).toBe("input:X");
  expect(stepTo(layout, "input:X", "ArrowRight")).toBe("step:0");
  expect(stepTo(layout, "step:1", "ArrowLeft")).toBe("step:0");
  expect(stepTo(layout, "output:Y", "ArrowRight")).toBe("output:Y");
});

it("finds steps by name and number, and tensors once", () => {
  const graph = { nodes, edges: [...chain, { ...edge("step:0", "output:Y"), id: "again" }] };
  expect(find(graph, "step 2")).toEqual(["step:1"]);
  expect(find(graph, "OUTPUT")).toEqual(["output:Y"]);
  expect(find(graph, "t").filter((id) => id.includes(">"))).toHaveLength(1);
  expect(find(graph, " ")).toEqual([]);
});

it("tells the graph in sentences, with steps counted from 1", () => {
  const texts = outline({ nodes, edges: [edge("step:0", "step:1", "types differ")] }).map(({ text }) => text);
  expect(texts[1]).toBe("Step 1, step:0");
  expect(texts.at(-1)).toBe(
    "Tensor t, FP32 [-1, 64], from step 1, step:0 to step 2, step:1. Broken: types differ",
  );
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
  const { nodes: placed } = arrange([bare, nodes[1] as (typeof nodes)[0]], [edge("input:X", "step:0")]);
  expect(placed.find((p) => p.node.id === "input:X")?.node.outputs[0]).toMatchObject({
    datatype: "FP32",
    shape: [-1n, 64n],
  });
});
