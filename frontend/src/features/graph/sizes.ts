/** How large the parts of the graph are, known before they are drawn. Pure functions. */
import { type Calls, type GraphEdge, type GraphNode, GraphNode_Kind } from "../../api/conch_pb";
import { fitMiddle } from "../../lib/fitMiddle";
import { typeAndShape } from "../../lib/format";
import { callsPhrase, lastCall } from "./calls";

export type Size = { readonly width: number; readonly height: number };

const headHeight = 36;
const portHeight = 18;
const portPadding = 8;
const letterWidth = 0.6; // of a character of the mono face, in its size
const nameChar = 8; // 13 px; WebKit rounds 7.8 up
const portChar = 7.2; // 12 px
const typeChar = 6.6; // 11 px

/** Characters of a name that are shown. */
const longestName = 26;

/** The sizes of names from far, in pixels at the zoom 1: of steps, and of tensors. */
export const nameSize = 13;
export const tensorNameSize = 12;

/** The size on the screen from which on letters can be read, less what is lost when sizes are rounded. */
export const leastLetters = 10.9;

/** From here on all of a box can be read: names have at least 11 px on the screen. */
export const readableZoom = 11 / tensorNameSize;

/** How wide a text in the mono face is, in characters of Latin. */
export const letters = (text: string): number =>
  text.length + (text.match(wide)?.length ?? 0) * (1 / letterWidth - 1);

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;

const shown = (name = "") => Math.min(letters(name), longestName);

/** Whether a node is a model: a step, a called model, or the one whose calls are drawn. Others are an ensemble's own tensors. */
export const isModel = ({ kind }: Pick<GraphNode, "kind">): boolean =>
  kind !== GraphNode_Kind.INPUT && kind !== GraphNode_Kind.OUTPUT;

export function nodeSize(node: GraphNode): Size {
  return isModel(node) ? stepSize(node) : tensorSize(node, "below");
}

/** As wide as its title or its widest pair of ports, as high as its longer side. */
function stepSize(node: GraphNode): Size {
  const ports = Math.max(node.inputs.length, node.outputs.length, 1);
  const pairs = Array.from(
    { length: ports },
    (_, i) => shown(node.inputs[i]?.name) + shown(node.outputs[i]?.name),
  );
  const width = Math.ceil(Math.max(172, stepTitle(node), Math.max(...pairs) * portChar + 48));
  return { width, height: headHeight + ports * portHeight + 2 * portPadding };
}

/** The width of a step's name, with the state icon before it, and after it the time, or a state in words. */
export function stepTitle({ kind, label }: GraphNode): number {
  return Math.ceil(shown(label) * nameChar + (kind === GraphNode_Kind.CALLED ? 150 : 110));
}

/** The size of an ensemble's own tensor, with its type where that stands. */
export function tensorSize(node: GraphNode, where: "below" | "beside" | "left out"): Size {
  const tensor = node.inputs[0] ?? node.outputs[0];
  const type = tensor ? typeAndShape(tensor.datatype, tensor.shape).length * typeChar : 0;
  const name = shown(node.label) * nameChar;
  if (where === "below") return { width: Math.ceil(Math.max(96, name + 32, type + 32)), height: 48 };
  return { width: Math.ceil(name + 32 + (where === "beside" ? 8 + type : 0)), height: 28 };
}

/** Edges at the ensemble's own tensors carry no label: the tensor's node says it already. */
export function hasLabel(edge: GraphEdge): boolean {
  if (edge.calls) return true;
  return edge.problem !== "" || (edge.source.startsWith("step:") && edge.target.startsWith("step:"));
}

/** A name in a graph that is seen from far, and the size of its letters. */
export type FarName = { readonly text: string; readonly size: number };

/** The room for a name: its width, its lines, and the largest size of its letters. */
export type NameRoom = { readonly width: number; readonly lines?: number; readonly most: number };

/** Where a step of a width has its name. Its letters have `size` at the zoom 1. */
export const stepName = (width: number) => ({ width: width - 18, lines: 2, size: nameSize });

/** Letters are never smaller than this part of what they grow to: 11 px on the screen of a step, where its name grows to 12. */
const leastPart = 0.93;

/**
 * A name that fills its width. Where letters would get too small it takes two lines, which end between its parts. A name without
 * parts, or one that is longer, loses its middle: no line ends within a word.
 */
export function farName(name: string, { width, lines = 1, most }: NameRoom): FarName {
  const fill = width / (letterWidth * Math.max(1, letters(name)));
  const size = Math.floor(10 * Math.min(most, Math.max(fill, most * leastPart))) / 10;
  const line = width / (letterWidth * size);
  if (letters(name) <= line) return { size, text: name };
  const narrow = letters(name) === name.length;
  if (lines === 1 || !narrow) {
    const space = lines === 1 ? line : lines * Math.floor(line - 1);
    return { size, text: fitMiddle(name, space, letters) };
  }
  return { size, text: inTwoLines(name, Math.floor(line)) };
}

function inTwoLines(name: string, line: number): string {
  const at = breakIn(name, line);
  if (at > 0) return `${name.slice(0, at)}\n${name.slice(at)}`;
  if (name.length <= 2 * line) return fitMiddle(name, line, letters);
  return `${name.slice(0, line - 1)}…\n${name.slice(1 - line)}`;
}

/** Where a name goes on in a second line of so many letters: after its last part that the first line holds; 0: nowhere. */
function breakIn(name: string, line: number): number {
  const part = name.slice(0, line).match(/^.*[^A-Za-z0-9]/s)?.[0].length ?? 0;
  return name.length - part <= line ? part : 0;
}

/** A name as it is shown near. */
export const nearName = (name: string): string => fitMiddle(name, longestName, letters);

/** Where an ensemble's own tensor has its name. */
export const pillName = (width: number) => ({ width: width - 12, size: tensorNameSize });

/** Whether the name of a node, which grows from far, is there then as far as it is near, in letters of so many pixels at the zoom 1. */
export function isWhole(node: GraphNode, width: number, grows: number, least: number): boolean {
  const { size, ...room } = isModel(node) ? stepName(width) : pillName(width);
  const far = farName(node.label, { ...room, most: size * grows });
  return far.size >= least && letters(far.text) >= letters(nearName(node.label));
}

export function labelSize(edge: GraphEdge): Size {
  if (edge.calls) return { width: callsLabelWidth(edge.calls), height: 38 };
  const type = typeAndShape(edge.datatype, edge.shape).length * typeChar;
  return { width: Math.ceil(Math.max(shown(edge.tensor) * portChar, type) + 20), height: 38 };
}

/** Room for a million calls, of which the newest failed, so that the drawing does not move while they are counted. */
function callsLabelWidth(calls: Calls): number {
  const counted = Math.max("1,000,000 calls".length, callsPhrase(calls).length) * portChar;
  const last = Math.max("last 14:03:22, failed".length, lastCall(calls).length) * typeChar;
  return Math.ceil(Math.max(counted, last) + 20);
}

/** How far below a model's top the lines of calls meet it. */
export const callPlace = headHeight / 2;

/** How far below a step's top its n-th port is. */
export const portPlace = (index: number): number => headHeight + portPadding + portHeight * (index + 0.5);

/** How far below a step's middle the middle of its ports is. */
export const portsLower = headHeight / 2;

/** Where a line meets a node: at its port, or in the middle of an ensemble's own tensor. */
export function portOf(node: GraphNode, side: "inputs" | "outputs", name: string): number {
  if (!isModel(node)) return nodeSize(node).height / 2;
  return portPlace(
    Math.max(
      0,
      node[side].findIndex((port) => port.name === name),
    ),
  );
}
