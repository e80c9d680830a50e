/** Where the nodes and labels of an ensemble's graph stand. Pure functions on sizes that are known beforehand. */
import { Graph, layout } from "@dagrejs/dagre";
import { type GraphEdge, type GraphNode, GraphNode_Kind } from "../../api/conch_pb";
import { typeAndShape } from "../../lib/format";

export type Point = { readonly x: number; readonly y: number };
export type Placed = {
  readonly node: GraphNode;
  readonly position: Point;
  readonly width: number;
  readonly height: number;
};
export type Routed = { readonly edge: GraphEdge; readonly label: Point | undefined };
export type Layout = { readonly nodes: readonly Placed[]; readonly edges: readonly Routed[] };

export const headHeight = 36;
export const portHeight = 18;
const portPadding = 8;
const problemHeight = 40; // two lines of the sentence
const uiChar = 7; // mean widths of the two fonts at their sizes here
const monoChar = 7.3;
const smallMonoChar = 6.7;
const longestName = 26; // characters of a name that are shown

/** A step is as wide as its title or its widest pair of ports, and as high as its longer side. */
function stepSize(node: GraphNode): { width: number; height: number } {
  const ports = Math.max(node.inputs.length, node.outputs.length, 1);
  const names = Array.from(
    { length: ports },
    (_, i) => shown(node.inputs[i]?.name) + shown(node.outputs[i]?.name),
  );
  const title = shown(node.label) * uiChar + 110; // state icon before it, time after it
  const width = Math.max(172, title, Math.max(...names) * monoChar + 48);
  return {
    width,
    height: headHeight + ports * portHeight + 2 * portPadding + (node.problem ? problemHeight : 0),
  };
}

const shown = (name: string | undefined) => Math.min(name?.length ?? 0, longestName);

function tensorSize(node: GraphNode): { width: number; height: number } {
  const tensor = node.inputs[0] ?? node.outputs[0];
  const type = tensor ? typeAndShape(tensor.datatype, tensor.shape).length * smallMonoChar : 0;
  return { width: Math.max(108, shown(node.label) * uiChar + 40, type + 36), height: 48 };
}

/** Edges at the ensemble's own tensors carry no label: the tensor's node says it already. */
export function hasLabel(edge: GraphEdge): boolean {
  return edge.problem !== "" || (edge.source.startsWith("step:") && edge.target.startsWith("step:"));
}

function labelSize(edge: GraphEdge): { width: number; height: number } {
  if (!hasLabel(edge)) return { width: 0, height: 0 };
  const type = typeAndShape(edge.datatype, edge.shape).length * smallMonoChar;
  const width = Math.max(shown(edge.tensor) * uiChar, type) + 20;
  return edge.problem ? { width: Math.max(width, 200), height: 74 } : { width, height: 38 };
}

/** Lays the graph out from left to right. Edges whose ends are missing are left out. */
export function arrange(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Layout {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 28, ranksep: 36, edgesep: 16, marginx: 16, marginy: 16 });
  for (const node of nodes)
    graph.setNode(node.id, node.kind === GraphNode_Kind.STEP ? stepSize(node) : tensorSize(node));
  const drawn = edges.filter((edge) => graph.hasNode(edge.source) && graph.hasNode(edge.target));
  for (const edge of drawn)
    graph.setEdge(
      edge.source,
      edge.target,
      { ...labelSize(edge), labelpos: "c", minlen: hasLabel(edge) ? 2 : 1 },
      edge.id,
    );
  layout(graph);
  return {
    nodes: nodes.map((node) => place(node, graph.node(node.id))),
    edges: drawn.map((edge) => ({
      edge,
      label: hasLabel(edge) ? pointOf(graph.edge(edge.source, edge.target, edge.id)) : undefined,
    })),
  };
}

type Box = { x: number; y: number; width: number; height: number };

function place(node: GraphNode, box: Box): Placed {
  const { width, height } = box;
  return { node, width, height, position: { x: box.x - width / 2, y: box.y - height / 2 } };
}

function pointOf(label: { x?: number; y?: number }): Point | undefined {
  return label.x === undefined || label.y === undefined ? undefined : { x: label.x, y: label.y };
}

/** How far below a step's top its n-th port stands. */
export function portOffset(index: number, problem: boolean): number {
  return headHeight + portPadding + portHeight * (index + 0.5) + (problem ? problemHeight : 0);
}
