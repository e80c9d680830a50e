/** What both ends of an edge say about the tensor between them. */
import type { GraphEdge, GraphNode, TensorSpec } from "../../api/conch_pb";
import { typeAndShape } from "../../lib/format";
import { asSentence } from "../../workspace/workspace";

/** The ends in words: a model's name, or "the request" and "the answer" for the ensemble's own tensors. */
export function endNames(nodes: readonly GraphNode[], edge: GraphEdge): { from: string; to: string } {
  const name = (id: string, outside: string) =>
    id.startsWith("step:") ? (find(nodes, id)?.label ?? id) : outside;
  return { from: name(edge.source, "the request"), to: name(edge.target, "the answer") };
}

/** The verdict on an edge: its problem, or what the two ends agree on. */
export function agreement(nodes: readonly GraphNode[], edge: GraphEdge): { title: string; text: string } {
  if (edge.problem) return { title: "This connection is broken", text: asSentence(edge.problem) };
  const { from, to } = endNames(nodes, edge);
  const given = port(find(nodes, edge.source)?.outputs, edge.sourcePort);
  const taken = port(find(nodes, edge.target)?.inputs, edge.targetPort);
  const gives = given && `${from} gives ${typeAndShape(given.datatype, given.shape)}`;
  const takes = taken && `${to} takes ${typeAndShape(taken.datatype, taken.shape)}`;
  const both = [gives, takes].filter(Boolean).join("; ");
  return {
    title: "Types and shapes agree",
    text: both ? `${both}.` : `Both sides take it as ${typeAndShape(edge.datatype, edge.shape)}.`,
  };
}

const find = (nodes: readonly GraphNode[], id: string) => nodes.find((node) => node.id === id);

const port = (specs: readonly TensorSpec[] | undefined, name: string) =>
  specs?.find((spec) => spec.name === name);
