import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { GraphEdgeSchema, GraphNode_Kind, GraphNodeSchema, TensorSpecSchema } from "../../api/conch_pb";
import { find } from "./find";
import { layered } from "./layered";
import { beforeOf, type Layout, layoutOf, planOf, whole } from "./layout";
import { outline } from "./outline";
import { readableZoom } from "./sizes";
import { pathOf, scaleOf, sightOf, viewAt } from "./smallMap";
import { growth, showsAll, wholeView } from "./viewport";
import { stepTo } from "./walk";

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

const placedAs = (layout: Layout, id: string) => {
  const found = layout.nodes.find((placed) => placed.node.id === id);
  if (!found) throw new Error(`${id} is not placed`);
  return found;
};

it("goes from left to right without overlaps", () => {
  const layout = arrange(nodes, chain);
  const [first, second] = [placedAs(layout, "step:0"), placedAs(layout, "step:1")];
  expect(second.position.x).toBeGreaterThan(first.position.x + first.width);
  expect(layout.edges.map(({ label }) => label !== undefined)).toEqual([false, true, false]);
});

it.each([1, 2, 3, 5, 20])(
  "goes from the left to the right from the input through %i steps to the output",
  (count) => {
    const steps = Array.from({ length: count }, (_, i) => node(`step:${i}`, GraphNode_Kind.STEP));
    const ends = [node("input:X", GraphNode_Kind.INPUT), ...steps, node("output:Y", GraphNode_Kind.OUTPUT)];
    const layout = arrange(
      ends,
      ends.slice(1).map(({ id }, i) => edge(ends[i]?.id ?? "", id)),
    );
    const lefts = ends.map(({ id }) => placedAs(layout, id).position.x);
    expect(lefts).toEqual([...lefts].sort((one, other) => one - other));
    for (const { points } of layout.edges) {
      const xs = points.map(({ x }) => x);
      expect(xs).toEqual([...xs].sort((one, other) => one - other));
      expect(xs.length).toBeGreaterThan(1);
    }
  },
);

it("puts an input at the left of all steps that take it", () => {
  const taken = [edge("input:X", "step:0"), edge("input:X", "step:1")];
  for (const edges of [taken, [...taken, edge("step:0", "step:1")]]) {
    const layout = arrange(nodes, edges);
    const input = placedAs(layout, "input:X");
    for (const id of ["step:0", "step:1"])
      expect(placedAs(layout, id).position.x).toBeGreaterThan(input.position.x + input.width);
  }
});

it("fits five steps, with letters that grow", () => {
  const room = { width: 594, height: 480 };
  const { steps, edges } = long(5);
  const layout = arrange(steps, edges);
  const view = wholeView(layout, room);
  expect(showsAll(layout, view, room)).toBe(true);
  expect(13 * view.zoom * growth(view.zoom)).toBeGreaterThanOrEqual(10);
});

it("fits of a chain of two hundred steps what can be seen, from its beginning", () => {
  const room = { width: 594, height: 480 };
  const { steps, edges } = long(200);
  const layout = arrange(steps, edges);
  const { x, y, zoom } = wholeView(layout, room);
  const first = placedAs(layout, "step:0");
  expect(first.height * zoom).toBeGreaterThanOrEqual(3);
  expect(first.position.x * zoom + x).toBeGreaterThanOrEqual(0);
  expect(first.position.y * zoom + y).toBeGreaterThan(0);
  const right = (one: (typeof layout.nodes)[number]) => (one.position.x + one.width) * zoom + x;
  const inSight = layout.nodes.filter((one) => right(one) <= room.width);
  expect(inSight.length).toBeGreaterThan(20);
  expect(zoom).toBeLessThan(readableZoom / 5);
});

it("marks every step in the small map, also of two hundred, and goes where it is pressed", () => {
  const { steps, edges } = long(200);
  const layout = arrange(steps, edges);
  const [strip, room] = [
    { width: 594, height: 48 },
    { width: 594, height: 432 },
  ];
  const scale = scaleOf(layout, strip);
  const marks = [...pathOf(layout.nodes, scale).matchAll(/M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)/g)];
  expect(marks).toHaveLength(200);
  for (const [, x, y, width, height] of marks) {
    expect(Number(x) + Number(width)).toBeLessThanOrEqual(strip.width);
    expect(Number(y) + Number(height)).toBeLessThanOrEqual(strip.height);
    expect(Math.min(Number(width), Number(height))).toBeGreaterThanOrEqual(1.9);
  }
  const sight = sightOf(viewAt({ x: 300, y: 24 }, { x: 0, y: 0, zoom: 1 }, room, scale), room, scale, strip);
  expect(sight.x + sight.width / 2).toBeCloseTo(300, 0);
});

it("labels broken edges, also at the ensemble's own tensors, and survives edges to nowhere and circles", () => {
  const layout = arrange(nodes, [
    edge("input:X", "step:0", "types differ"),
    edge("step:0", "step:9"),
    edge("step:1", "step:0"),
    edge("step:0", "step:1", "shapes differ"),
  ]);
  expect(layout.edges).toHaveLength(3);
  expect(layout.edges[0]?.label).toBeDefined();
  expect(layout.edges[2]?.label).toBeDefined();
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

it("draws a chain level, also where each step takes the tensor of the one before twice", () => {
  const ports = { inputs: [tensor("a"), tensor("b")], outputs: [tensor("c"), tensor("d")] };
  const steps = ["0", "1", "2", "3"].map((id) => ({ ...node(id, GraphNode_Kind.STEP), ...ports }));
  const edges = steps.slice(1).flatMap(({ id }, i) =>
    ["b", "a"].map((targetPort) => {
      const one = edge(steps[i]?.id ?? "", id);
      return { ...one, id: one.id + targetPort, tensor: `t${i}`, sourcePort: "c", targetPort };
    }),
  );
  const { nodes: placed } = arrange(steps, edges);
  expect(new Set(placed.map(({ position }) => Math.round(position.y))).size).toBe(1);
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

it("lays a thousand steps out, each right of the one before", () => {
  const { steps, edges } = long(1000);
  const { nodes: placed } = arrange(steps, edges);
  const at = new Map(placed.map(({ node, position }) => [node.id, position.x]));
  const places = steps.map(({ id }) => at.get(id) ?? Number.NaN);
  expect(places).toHaveLength(1000);
  expect(places.every((x, i) => i === 0 || x > (places[i - 1] ?? x))).toBe(true);
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

it("walks from node to edge and on with the arrows", () => {
  const layout = arrange(nodes, chain);
  const walked = ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"] as const;
  const path: string[] = [];
  for (const arrow of walked) path.push(stepTo(layout, path.at(-1) ?? "", arrow));
  expect(path).toEqual(["input:X", "input:X>step:0", "step:0", "step:0>step:1", "step:1"]);
  expect(stepTo(layout, "step:1", "ArrowLeft")).toBe("step:0>step:1");
  expect(stepTo(layout, "step:0>step:1", "ArrowLeft")).toBe("step:0");
  expect(stepTo(layout, "output:Y", "ArrowRight")).toBe("output:Y");
  expect(stepTo(layout, "output:Y", "ArrowLeft")).toBe("step:1>output:Y");
});

it("reaches every node and edge with the arrows", () => {
  const steps = [0, 1, 2, 3].map((i) => node(`step:${i}`, GraphNode_Kind.STEP));
  const parallel = [1, 2].flatMap((i) => [edge("step:0", `step:${i}`), edge(`step:${i}`, "step:3")]);
  const layout = arrange(steps, parallel);
  const reached = new Set([""]);
  for (const id of reached)
    for (const arrow of ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"] as const)
      reached.add(stepTo(layout, id, arrow));
  const all = [...steps, ...parallel].map(({ id }) => id);
  expect(all.filter((id) => !reached.has(id))).toEqual([]);
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

it("says the number of a step once that names no model", () => {
  const step = create(GraphNodeSchema, { id: "step:1", kind: GraphNode_Kind.STEP, label: "step 2" });
  expect(outline({ nodes: [step], edges: [] })).toEqual([{ id: "step:1", text: "Step 2" }]);
});

it("takes the type of the ensemble's own tensors from their edges", () => {
  const bare = create(GraphNodeSchema, { id: "input:X", kind: GraphNode_Kind.INPUT, label: "X" });
  const { nodes: placed } = arrange([bare, nodes[1] as (typeof nodes)[0]], [edge("input:X", "step:0")]);
  expect(placed.find((p) => p.node.id === "input:X")?.node.outputs[0]).toMatchObject({
    datatype: "FP32",
    shape: [-1n, 64n],
  });
});
