/** Looks for steps, models and tensors by name. Pure functions. */
import { type GetGraphResponse, GraphNode_Kind } from "../../api/conch_pb";

type Graph = Pick<GetGraphResponse, "nodes" | "edges">;

/** "step 3" is the third step. */
export const stepNumber = (id: string): number => Number(id.slice("step:".length)) + 1;

/** The ids of nodes and edges with the text in one of their names; nodes first, each tensor once. */
export function find({ nodes, edges }: Graph, text: string): string[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const has = (name: string) => name.toLowerCase().includes(wanted);
  const steps = nodes.filter(
    ({ id, label, kind }) =>
      has(label) || (kind === GraphNode_Kind.STEP && `step ${stepNumber(id)}` === wanted),
  );
  // The ensemble's own tensors are nodes already.
  const taken = new Set(nodes.filter(({ kind }) => kind !== GraphNode_Kind.STEP).map(({ label }) => label));
  const tensors = edges.filter(({ tensor, sourcePort, targetPort }) => {
    if (taken.has(tensor) || ![tensor, sourcePort, targetPort].some(has)) return false;
    taken.add(tensor);
    return true;
  });
  return [...steps, ...tensors].map(({ id }) => id);
}
