/** Edges that end at a port which the step's model does not have. Pure functions. */
import type { GetGraphResponse, GraphEdge, GraphNode, TensorSpec } from "../../api/conch_pb";

type Graph = Pick<GetGraphResponse, "nodes" | "edges">;

type End = {
  readonly node: GraphNode | undefined;
  readonly port: string;
  readonly side: "inputs" | "outputs";
};

const words = { inputs: "input", outputs: "output" } as const;

/** Why nothing can be joined to this port: its model has no tensor of that name, or the tensor has no type. */
function complaint({ node, port, side }: End): string {
  if (!node?.id.startsWith("step:")) return "";
  const known = (node[side] as readonly TensorSpec[]).filter(({ datatype }) => datatype !== "");
  if (known.some(({ name }) => name === port)) return "";
  if (known.length === 0) return node.problem; // of a model without one nothing is known, and nothing is wrong
  if (node.problem.includes(`"${port}"`)) return node.problem;
  return `model "${node.model}" has no ${words[side]} "${port}"`;
}

/**
 * The graph with every edge marked that cannot carry its tensor: a step's problem is told at the step, and the
 * lines that lead nowhere are red as well.
 */
export function markBroken<T extends Graph>(graph: T): T {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const problemOf = ({ source, sourcePort, target, targetPort }: GraphEdge) =>
    complaint({ node: nodes.get(target), port: targetPort, side: "inputs" }) ||
    complaint({ node: nodes.get(source), port: sourcePort, side: "outputs" });
  const edges = graph.edges.map((edge) => {
    const problem = edge.problem || (edge.calls ? "" : problemOf(edge));
    return problem === edge.problem ? edge : { ...edge, problem };
  });
  return { ...graph, edges };
}
