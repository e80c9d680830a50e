import type { GraphEdge, TracedTensor } from "../../api/conch_pb";

/** The tensor that went over an edge: what its step gave, or what the request brought in. */
export function tracedOn(
  tensors: readonly TracedTensor[],
  { source, sourcePort }: Pick<GraphEdge, "source" | "sourcePort">,
): TracedTensor | undefined {
  const [kind, step] = source.split(":");
  return tensors.find(({ path, output, tensor }) => {
    if (tensor?.name !== sourcePort) return false;
    if (kind === "input") return path.length === 0 && !output;
    return output && path.length === 1 && String(path[0]) === step;
  });
}
