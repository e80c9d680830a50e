/** What both ends of an edge say about the tensor between them. */
import type { GraphEdge, GraphNode, TensorSpec } from "../../api/conch_pb";
import { typeAndShape } from "../../lib/format";
import { identifiersIn } from "../../workspace/modelsIn";
import { asSentence } from "../../workspace/workspace";

/** The ends in words: a model's name, or "the request" and "the answer" for the ensemble's own tensors. */
export function endNames(nodes: readonly GraphNode[], edge: GraphEdge): { from: string; to: string } {
  const name = (id: string, outside: string) =>
    id.startsWith("step:") ? (find(nodes, id)?.label ?? id) : outside;
  return { from: name(edge.source, "the request"), to: name(edge.target, "the answer") };
}

type Verdict = { readonly title: string; readonly text: string; readonly names: readonly string[] };

/** The verdict on an edge: its problem, or what the two ends agree on; names are the identifiers in it. */
export function agreement(nodes: readonly GraphNode[], edge: GraphEdge): Verdict {
  if (edge.problem) {
    const text = asSentence(edge.problem);
    return { title: "This connection is broken", text, names: identifiersIn(text) };
  }
  const { from, to } = endNames(nodes, edge);
  const given = port(find(nodes, edge.source)?.outputs, edge.sourcePort);
  const taken = port(find(nodes, edge.target)?.inputs, edge.targetPort);
  const gives = given && `${from} gives ${typeAndShape(given.datatype, given.shape)}`;
  const takes = taken && `${to} takes ${typeAndShape(taken.datatype, taken.shape)}`;
  const both = [gives, takes].filter(Boolean).join("; ");
  return {
    title: "Types and shapes agree",
    text: both ? `${both}.` : `Both sides take it as ${typeAndShape(edge.datatype, edge.shape)}.`,
    names: [edge.source, edge.target].flatMap((id) => find(nodes, id)?.model ?? []),
  };
}

const find = (nodes: readonly GraphNode[], id: string) => nodes.find((node) => node.id === id);

const port = (specs: readonly TensorSpec[] | undefined, name: string) =>
  specs?.find((spec) => spec.name === name);
