/** The graph in words, for those who hear it. Pure functions. */
import { type GetGraphResponse, type GraphEdge, type GraphNode, GraphNode_Kind } from "../../api/conch_pb";
import { typeAndShape } from "../../lib/format";
import { callsPhrase, lastCall } from "./calls";
import { stepNumber } from "./find";
import { isModel } from "./sizes";

type Graph = Pick<GetGraphResponse, "nodes" | "edges">;

/** A node as one calls it: "step 2, digits", "input IMAGE". */
export function nameOf(node: GraphNode | undefined): string {
  if (!node) return "nothing";
  if (node.kind === GraphNode_Kind.STEP) {
    const step = `step ${stepNumber(node.id)}`;
    return node.label === step ? step : `${step}, ${node.label}`;
  }
  if (isModel(node)) return `${node.kind === GraphNode_Kind.CALLED ? "called model" : "model"} ${node.label}`;
  return `${node.kind === GraphNode_Kind.INPUT ? "input" : "output"} ${node.label}`;
}

const broken = (problem: string) => (problem === "" ? "" : `. Broken: ${problem}`);

export const nodeSentence = (node: GraphNode): string => `${capital(nameOf(node))}${broken(node.problem)}`;

export function edgeSentence(edge: GraphEdge, byId: ReadonlyMap<string, GraphNode>): string {
  const { source, target, tensor, datatype, shape, problem, calls } = edge;
  const ends = `from ${nameOf(byId.get(source))} to ${nameOf(byId.get(target))}`;
  if (calls) return `Calls ${ends}: ${callsPhrase(calls)}, ${lastCall(calls)}`;
  return `Tensor ${tensor}, ${typeAndShape(datatype, shape)}, ${ends}${broken(problem)}`;
}

/** A sentence for each node and each edge. */
export function outline({ nodes, edges }: Graph): { id: string; text: string }[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return [
    ...nodes.map((node) => ({ id: node.id, text: nodeSentence(node) })),
    ...edges.map((edge) => ({ id: edge.id, text: edgeSentence(edge, byId) })),
  ];
}

/** As much of a large graph as is read out at once. */
export const mostSpoken = 60;

const neighbours = (graph: Graph, id: string): ReadonlySet<string> =>
  new Set([
    id,
    ...graph.edges.flatMap((edge) => {
      if (edge.id === id) return [edge.source, edge.target];
      return edge.source === id || edge.target === id ? [edge.id] : [];
    }),
  ]);

type Sentence = { readonly id: string; readonly text: string };

/** The sentences that are read out: all of a small graph; of a large one what is chosen, its neighbours, and the first. */
export function spoken(graph: Graph, all: readonly Sentence[], id: string): readonly Sentence[] {
  if (all.length <= mostSpoken) return all;
  const near = neighbours(graph, id);
  const chosen = all.filter((one) => near.has(one.id)).slice(0, mostSpoken);
  const others = all.filter((one) => !near.has(one.id)).slice(0, mostSpoken - chosen.length);
  return [...chosen, ...others];
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
