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

/** Lays the graph out. Edges whose ends are missing are left out. */
export function arrange(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  direction: Direction,
): Layout {
  const graph = new Graph({ multigraph: true });
  const right = direction === "right";
  graph.setGraph({ rankdir: right ? "LR" : "TB", nodesep: 28, ranksep: right ? 44 : 40, edgesep: 16 });
  const whole = nodes.map((node) => withPorts(node, edges));
  for (const node of whole) graph.setNode(node.id, { ...nodeSize(node, direction) });
  const drawn = edges.filter((edge) => graph.hasNode(edge.source) && graph.hasNode(edge.target));
  for (const edge of drawn)
    graph.setEdge(edge.source, edge.target, { ...labelSize(edge), labelpos: "c" }, edge.id);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    direction,
    width,
    height,
    nodes: whole.map((node) => place(node, graph.node(node.id))),
    edges: drawn.map((edge) => ({
      edge,
      label: hasLabel(edge) ? pointOf(graph.edge(edge.source, edge.target, edge.id)) : undefined,
    })),
  };
}

/** The layout that can be shown larger; from left to right where both are large enough to read. */
export function choose(right: Layout, down: Layout, room: Size): Layout {
  const legible = 0.85;
  const zoom = ({ width, height }: Layout) =>
    Math.min(room.width / (width + 32), room.height / (height + 32));
  return zoom(right) >= Math.min(legible, zoom(down)) ? right : down;
}

/** A step with a port for every edge: one that the model does not have is exactly what must be seen. */
function withPorts(node: GraphNode, edges: readonly GraphEdge[]): GraphNode {
  if (node.kind !== GraphNode_Kind.STEP) return node;
  const takes = edges.filter(({ target }) => target === node.id).map(({ targetPort }) => targetPort);
  const gives = edges.filter(({ source }) => source === node.id).map(({ sourcePort }) => sourcePort);
  return { ...node, inputs: withNames(node.inputs, takes), outputs: withNames(node.outputs, gives) };
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
