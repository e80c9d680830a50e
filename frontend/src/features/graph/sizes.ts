/** How large the parts of the graph are, known before they are drawn. Pure functions. */
import { type GraphEdge, type GraphNode, GraphNode_Kind, type TensorSpec } from "../../api/conch_pb";
import { typeAndShape } from "../../lib/format";

/** Which way the tensors flow: ports stand at the sides, or above and below. */
export type Direction = "right" | "down";

export type Size = { readonly width: number; readonly height: number };

const headHeight = 36;
const portHeight = 18;
const portPadding = 8;
const portRow = 24; // a row of ports above or below the title
const uiChar = 7.6; // mean widths of the two fonts at their sizes here; the first one is semibold
const monoChar = 7.3;
const smallMonoChar = 6.7;

/** Characters of a name that are shown. */
export const longestName = 26;

const shown = (name: string | undefined) => Math.min(name?.length ?? 0, longestName);

export function nodeSize(node: GraphNode, direction: Direction): Size {
  if (node.kind !== GraphNode_Kind.STEP) return tensorSize(node);
  return direction === "right" ? wideStep(node) : tallStep(node);
}

const titleWidth = (node: GraphNode) => shown(node.label) * uiChar + 110; // state icon before it, time after it

/** As wide as its title or its widest pair of ports, as high as its longer side. */
function wideStep(node: GraphNode): Size {
  const ports = Math.max(node.inputs.length, node.outputs.length, 1);
  const pairs = Array.from(
    { length: ports },
    (_, i) => shown(node.inputs[i]?.name) + shown(node.outputs[i]?.name),
  );
  const width = Math.max(172, titleWidth(node), Math.max(...pairs) * monoChar + 48);
  return { width, height: headHeight + ports * portHeight + 2 * portPadding };
}

/** As wide as its title or a row of its ports. */
function tallStep(node: GraphNode): Size {
  const row = (specs: readonly TensorSpec[]) =>
    Math.max(0, ...specs.map(({ name }) => shown(name))) * monoChar * specs.length + 20 * specs.length;
  return {
    width: Math.max(172, titleWidth(node), row(node.inputs), row(node.outputs)),
    height: headHeight + 2 * portRow,
  };
}

function tensorSize(node: GraphNode): Size {
  const tensor = node.inputs[0] ?? node.outputs[0];
  const type = tensor ? typeAndShape(tensor.datatype, tensor.shape).length * smallMonoChar : 0;
  return { width: Math.max(108, shown(node.label) * uiChar + 40, type + 36), height: 48 };
}

/** Edges at the ensemble's own tensors carry no label: the tensor's node says it already. */
export function hasLabel(edge: GraphEdge): boolean {
  return edge.problem !== "" || (edge.source.startsWith("step:") && edge.target.startsWith("step:"));
}

export function labelSize(edge: GraphEdge): Size {
  if (!hasLabel(edge)) return { width: 0, height: 0 };
  const type = typeAndShape(edge.datatype, edge.shape).length * smallMonoChar;
  return { width: Math.max(shown(edge.tensor) * uiChar, type) + 20, height: 38 };
}

/** Where the n-th of a side's ports stands, along that side. */
export function portPlace(index: number, count: number, direction: Direction): number | string {
  if (direction === "right") return headHeight + portPadding + portHeight * (index + 0.5);
  return `${((index + 0.5) / count) * 100}%`;
}
