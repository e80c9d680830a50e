/** The layout as xyflow wants it. */
import { type Edge, type Node, Position } from "@xyflow/react";
import { type GraphEdge, type GraphNode, GraphNode_Kind, type InferResponse } from "../../api/conch_pb";
import { executes, stepTime } from "../../lib/requestTime";
import type { Point } from "./layered";
import type { Layout } from "./layout";
import { nodeSentence } from "./outline";
import { callPlace, isModel, portPlace } from "./sizes";

export type NodeData = {
  readonly node: GraphNode;
  readonly tookMs: number | undefined;
  readonly error: string; // why the last request failed in it; "" where it did not
  readonly found: boolean;
  /** Whether lines of calls begin, or end, here. */
  readonly calling: boolean;
  readonly called: boolean;
};
export type EdgeData = {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
  readonly label: Point | undefined;
  /** Whether the label's tensor is broken or chosen on any of its edges. */
  readonly labelBroken: boolean;
  readonly labelSelected: boolean;
  readonly found: boolean;
  readonly down: boolean; // the drawing runs from above down
};
export type FlowNode = Node<NodeData, "step" | "tensor">;
export type FlowEdge = Edge<EdgeData, "tensor">;

/** What the eye is led to: what is chosen, and what a search found. */
export type Marks = {
  readonly selected: string;
  readonly found: ReadonlySet<string>;
  readonly failed?: { readonly id: string; readonly error: string } | undefined; // the step that made the last request fail
};

/** How long each step of an answer took, by node id. */
export function stepTimes(response: InferResponse | undefined): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  if (!response) return times;
  if (executes(response)) times.set("model", Number(response.timings?.totalNs ?? 0n) / 1e6);
  else for (const step of response.steps) times.set(`step:${step.step}`, stepTime(step).totalNs / 1e6);
  addCalls(times, response);
  return times;
}

/** The time in each called model, of all calls together that have ended. */
function addCalls(times: Map<string, number>, part: Pick<InferResponse, "span" | "steps">): void {
  for (const step of part.steps) {
    const id = `call:${step.model}`;
    if (executes(part) && !step.running) times.set(id, (times.get(id) ?? 0) + stepTime(step).totalNs / 1e6);
    addCalls(times, step);
  }
}

export function toNodes(
  layout: Layout,
  times: ReadonlyMap<string, number>,
  { selected, found, failed }: Marks,
): FlowNode[] {
  const calls = layout.edges.flatMap(({ edge }) => (edge.calls ? [edge] : []));
  const calling = new Set(calls.map(({ source }) => source));
  const called = new Set(calls.map(({ target }) => target));
  return layout.nodes.map(({ node, position, width, height }) => ({
    id: node.id,
    type: isModel(node) ? "step" : "tensor",
    position: { ...position },
    width,
    height,
    handles: handlesOf(node, width, height),
    selected: node.id === selected,
    ariaLabel:
      nodeSentence(node) + (failed?.id === node.id ? `; the last request failed here: ${failed.error}` : ""),
    data: {
      node,
      tookMs: times.get(node.id),
      error: failed?.id === node.id ? failed.error : "",
      found: found.has(node.id),
      calling: calling.has(node.id),
      called: called.has(node.id),
    },
  }));
}

/** Known before they are drawn, so that lines to nodes out of sight are drawn too. */
function handlesOf(node: GraphNode, width: number, height: number): FlowNode["handles"] {
  const into = { type: "target" as const, position: Position.Left, x: 0, width: 1, height: 1 };
  const out = { ...into, type: "source" as const, position: Position.Right, x: width };
  if (!isModel(node)) {
    return [{ ...(node.kind === GraphNode_Kind.INPUT ? out : into), y: height / 2 }];
  }
  return [
    { ...into, id: callHandles.in, y: callPlace },
    { ...out, id: callHandles.out, y: callPlace },
    ...node.inputs.map(({ name }, i) => ({ ...into, id: `in:${name}`, y: portPlace(i) })),
    ...node.outputs.map(({ name }, i) => ({ ...out, id: `out:${name}`, y: portPlace(i) })),
  ];
}

/** Where lines of calls end and begin: they have no port. */
export const callHandles = { in: "in:", out: "out:" };

/** The ensemble's own tensors have a single handle without a name. */
function handleOf(side: "in" | "out", node: string, port: string): string | undefined {
  return node.startsWith("input:") || node.startsWith("output:") ? undefined : `${side}:${port}`;
}

/** The same for all edges of one tensor. */
export const tensorOf = ({ id, calls, source, sourcePort }: GraphEdge) =>
  calls ? id : `${source} ${sourcePort}`;

export function toEdges(layout: Layout, { selected, found }: Marks): FlowEdge[] {
  const broken = new Set(
    layout.edges
      .filter(({ edge }) => edge.problem !== "" || edge.calls?.newestFailed)
      .map(({ edge }) => tensorOf(edge)),
  );
  const chosen = layout.edges.find(({ edge }) => edge.id === selected)?.edge;
  return layout.edges.map(({ edge, points, label }) => ({
    id: edge.id,
    type: "tensor",
    source: edge.source,
    target: edge.target,
    sourceHandle: handleOf("out", edge.source, edge.sourcePort),
    targetHandle: handleOf("in", edge.target, edge.targetPort),
    selected: edge.id === selected,
    zIndex: edge.id === selected ? 1 : 0,
    data: {
      edge,
      points,
      label,
      labelBroken: broken.has(tensorOf(edge)),
      labelSelected: chosen !== undefined && tensorOf(chosen) === tensorOf(edge),
      found: found.has(edge.id),
      down: layout.down !== undefined,
    },
  }));
}
