/** Where the nodes and labels of an ensemble's graph stand. Pure functions. */
import { create } from "@bufbuild/protobuf";
import { Graph, layout } from "@dagrejs/dagre";
import {
  type GraphEdge,
  type GraphNode,
  GraphNode_Kind,
  type TensorSpec,
  TensorSpecSchema,
} from "../../api/conch_pb";
import { type Direction, hasLabel, labelSize, nodeSize, type Size } from "./sizes";

export type Point = { readonly x: number; readonly y: number };
export type Placed = Size & { readonly node: GraphNode; readonly position: Point };
export type Routed = { readonly edge: GraphEdge; readonly label: Point | undefined };
export type Layout = Size & {
  readonly direction: Direction;
  readonly nodes: readonly Placed[];
  readonly edges: readonly Routed[];
};

/** Lays the graph out, such that lines from one step cross as little as may be. */
export function arrange(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  direction: Direction,
): Layout {
  const whole = nodes.map((node) => withPorts(node, edges));
  const first = run(whole, edges, direction);
  // The library orders nodes, not ports: the mirror image is as good to it, and may be better here.
  const second = run([...whole].reverse(), [...edges].reverse(), direction);
  return crossings(second) < crossings(first) ? second : first;
}

/** Edges whose ends are missing are left out. */
function run(nodes: readonly GraphNode[], edges: readonly GraphEdge[], direction: Direction): Layout {
  const graph = new Graph({ multigraph: true });
  const right = direction === "right";
  graph.setGraph({ rankdir: right ? "LR" : "TB", nodesep: 28, ranksep: right ? 44 : 40, edgesep: 16 });
  for (const node of nodes) graph.setNode(node.id, { ...nodeSize(node, direction) });
  const drawn = edges.filter(({ source, target }) => graph.hasNode(source) && graph.hasNode(target));
  for (const edge of drawn)
    graph.setEdge(edge.source, edge.target, { ...labelSize(edge), labelpos: "c" }, edge.id);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    direction,
    width,
    height,
    nodes: nodes.map((node) => place(node, graph.node(node.id))),
    edges: drawn.map((edge) => ({
      edge,
      label: hasLabel(edge) ? pointOf(graph.edge(edge.source, edge.target, edge.id)) : undefined,
    })),
  };
}

/** Pairs of edges that leave one step, or enter one, in another order than their ports. */
function crossings({ direction, nodes, edges }: Layout): number {
  const byId = new Map(nodes.map((placed) => [placed.node.id, placed]));
  const across = ({ x, y }: Point) => (direction === "right" ? y : x);
  const far = (id: string) => across(byId.get(id)?.position ?? { x: 0, y: 0 });
  const port = (id: string, side: "inputs" | "outputs", name: string) =>
    byId.get(id)?.node[side].findIndex((spec) => spec.name === name) ?? 0;
  let count = 0;
  for (const { edge: a } of edges) {
    for (const { edge: b } of edges) {
      const out =
        a.source === b.source &&
        port(a.source, "outputs", a.sourcePort) < port(b.source, "outputs", b.sourcePort);
      const into =
        a.target === b.target &&
        port(a.target, "inputs", a.targetPort) < port(b.target, "inputs", b.targetPort);
      if (out && far(a.target) > far(b.target)) count++;
      if (into && far(a.source) > far(b.source)) count++;
    }
  }
  return count;
}

/** The layout that can be shown larger; from left to right where both are large enough to read. */
export function choose(right: Layout, down: Layout, room: Size): Layout {
  const legible = 0.85;
  const zoom = ({ width, height }: Layout) =>
    Math.min(room.width / (width + 32), room.height / (height + 32));
  return zoom(right) >= Math.min(legible, zoom(down)) ? right : down;
}

/**
 * A step with a port for every edge: one that the model does not have is exactly what must be seen. The ensemble's
 * own tensors are known by the edges at them.
 */
function withPorts(node: GraphNode, edges: readonly GraphEdge[]): GraphNode {
  if (node.kind !== GraphNode_Kind.STEP) return withType(node, edges);
  const takes = edges.filter(({ target }) => target === node.id).map(({ targetPort }) => targetPort);
  const gives = edges.filter(({ source }) => source === node.id).map(({ sourcePort }) => sourcePort);
  return { ...node, inputs: withNames(node.inputs, takes), outputs: withNames(node.outputs, gives) };
}

function withType(node: GraphNode, edges: readonly GraphEdge[]): GraphNode {
  const edge = edges.find(({ source, target }) => source === node.id || target === node.id);
  if (node.inputs.length > 0 || node.outputs.length > 0 || !edge?.datatype) return node;
  const { datatype, shape } = edge;
  return { ...node, outputs: [create(TensorSpecSchema, { name: node.label, datatype, shape })] };
}

function withNames(specs: TensorSpec[], names: readonly string[]): TensorSpec[] {
  const missing = new Set(names.filter((name) => !specs.some((spec) => spec.name === name)));
  return [...specs, ...[...missing].map((name) => create(TensorSpecSchema, { name }))];
}

function place(node: GraphNode, { x, y, width, height }: Size & Point): Placed {
  return { node, width, height, position: { x: x - width / 2, y: y - height / 2 } };
}

function pointOf(label: { x?: number; y?: number }): Point | undefined {
  return label.x === undefined || label.y === undefined ? undefined : { x: label.x, y: label.y };
}
