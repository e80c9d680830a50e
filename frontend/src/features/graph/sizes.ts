/** How large the parts of the graph are, known before they are drawn. Pure functions. */
import { type GraphEdge, type GraphNode, GraphNode_Kind } from "../../api/conch_pb";
import { typeAndShape } from "../../lib/format";

export type Size = { readonly width: number; readonly height: number };

const headHeight = 36;
const portHeight = 18;
const portPadding = 8;
// A character of the mono face is 0.6 of its size wide.
const nameChar = 7.8; // 13 px
const portChar = 7.2; // 12 px
const typeChar = 6.6; // 11 px

/** Characters of a name that are shown. */
export const longestName = 26;

/** The size of the smallest names in the graph, in pixels at the zoom 1. */
const smallestName = 12;

/** The graph never opens smaller than this: names have at least 11 px on the screen. */
export const readableZoom = 11 / smallestName;

const shown = (name: string | undefined) => Math.min(name?.length ?? 0, longestName);

export function nodeSize(node: GraphNode): Size {
  return node.kind === GraphNode_Kind.STEP ? stepSize(node) : tensorSize(node);
}

/** As wide as its title or its widest pair of ports, as high as its longer side. */
function stepSize(node: GraphNode): Size {
  const ports = Math.max(node.inputs.length, node.outputs.length, 1);
  const pairs = Array.from(
    { length: ports },
    (_, i) => shown(node.inputs[i]?.name) + shown(node.outputs[i]?.name),
  );
  const title = shown(node.label) * nameChar + 110; // state icon before it, time after it
  const width = Math.ceil(Math.max(172, title, Math.max(...pairs) * portChar + 48));
  return { width, height: headHeight + ports * portHeight + 2 * portPadding };
}

function tensorSize(node: GraphNode): Size {
  const tensor = node.inputs[0] ?? node.outputs[0];
  const type = tensor ? typeAndShape(tensor.datatype, tensor.shape).length * typeChar : 0;
  return { width: Math.ceil(Math.max(96, shown(node.label) * nameChar + 32, type + 32)), height: 48 };
}

/** Edges at the ensemble's own tensors carry no label: the tensor's node says it already. */
export function hasLabel(edge: GraphEdge): boolean {
  return edge.problem !== "" || (edge.source.startsWith("step:") && edge.target.startsWith("step:"));
}

/** The size of letters at which a name fills a width. */
export const widestFont = (name: string, width: number): string =>
  `${Math.floor((10 * width) / (0.6 * Math.max(1, shown(name)))) / 10}px`;

export function labelSize(edge: GraphEdge): Size {
  const type = typeAndShape(edge.datatype, edge.shape).length * typeChar;
  return { width: Math.ceil(Math.max(shown(edge.tensor) * portChar, type) + 20), height: 38 };
}

/** How far below a step's top its n-th port is. */
export const portPlace = (index: number): number => headHeight + portPadding + portHeight * (index + 0.5);

/** Where a line meets a node: at its port, or in the middle of an ensemble's own tensor. */
export function portOf(node: GraphNode, side: "inputs" | "outputs", name: string): number {
  if (node.kind !== GraphNode_Kind.STEP) return nodeSize(node).height / 2;
  return portPlace(
    Math.max(
      0,
      node[side].findIndex((port) => port.name === name),
    ),
  );
}
