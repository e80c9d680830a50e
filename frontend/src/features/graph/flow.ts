/** The layout as xyflow wants it. */
import type { Edge, Node } from "@xyflow/react";
import { type GraphEdge, type GraphNode, GraphNode_Kind, type InferResponse } from "../../api/conch_pb";
import { typeAndShape } from "../../lib/format";
import { stepTime } from "../../lib/requestTime";
import type { Layout, Point } from "./layout";
import type { Direction } from "./sizes";

export type NodeData = {
  readonly node: GraphNode;
  readonly direction: Direction;
  readonly tookMs: number | undefined;
};
export type EdgeData = {
  readonly edge: GraphEdge;
  readonly direction: Direction;
  readonly label: Point | undefined;
};
export type FlowNode = Node<NodeData, "step" | "tensor">;
export type FlowEdge = Edge<EdgeData, "tensor">;

/** How long each step of an answer took, by node id. */
export function stepTimes(response: InferResponse | undefined): ReadonlyMap<string, number> {
  const times = (response?.steps ?? []).map(
    (step) => [`step:${step.step}`, stepTime(step).totalNs / 1e6] as const,
  );
  return new Map(times);
}

export function toNodes(layout: Layout, times: ReadonlyMap<string, number>, selected: string): FlowNode[] {
  return layout.nodes.map(({ node, position, width, height }) => ({
    id: node.id,
    type: node.kind === GraphNode_Kind.STEP ? "step" : "tensor",
    position,
    width,
    height,
    selected: node.id === selected,
    ariaLabel: nodeLabel(node),
    data: { node, direction: layout.direction, tookMs: times.get(node.id) },
  }));
}

function nodeLabel(node: GraphNode): string {
  const what = {
    [GraphNode_Kind.INPUT]: "Input",
    [GraphNode_Kind.OUTPUT]: "Output",
    [GraphNode_Kind.STEP]: "Step",
    [GraphNode_Kind.UNSPECIFIED]: "Part",
  };
  return `${what[node.kind]} ${node.label}${node.problem ? `: ${node.problem}` : ""}`;
}

/** The ensemble's own tensors have a single handle without a name. */
function handleOf(side: "in" | "out", node: string, port: string): string | undefined {
  return node.startsWith("step:") ? `${side}:${port}` : undefined;
}

export function toEdges(layout: Layout, selected: string): FlowEdge[] {
  return layout.edges.map(({ edge, label }) => ({
    id: edge.id,
    type: "tensor",
    source: edge.source,
    target: edge.target,
    sourceHandle: handleOf("out", edge.source, edge.sourcePort),
    targetHandle: handleOf("in", edge.target, edge.targetPort),
    selected: edge.id === selected,
    zIndex: edge.id === selected ? 1 : 0,
    ariaLabel: `Tensor ${edge.tensor}, ${typeAndShape(edge.datatype, edge.shape)}${edge.problem ? `: ${edge.problem}` : ""}`,
    data: { edge, direction: layout.direction, label },
  }));
}
