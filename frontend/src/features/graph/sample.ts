/** Graphs for tests. */
import { create } from "@bufbuild/protobuf";
import { type GetGraphResponse, GetGraphResponseSchema, GraphNode_Kind } from "../../api/conch_pb";

const tensor = (name: string) => ({ name, datatype: "FP32", shape: [-1n, 64n] });

/** Steps one after the other, between an input and an output. The edge between the steps at `broken` is broken. */
export function chainOf(count: number, broken = -1): GetGraphResponse {
  const ids = ["input:IN", ...Array.from({ length: count }, (_, i) => `step:${i}`), "output:OUT"];
  const kindOf = (id: string) => {
    if (id === "input:IN") return GraphNode_Kind.INPUT;
    return id === "output:OUT" ? GraphNode_Kind.OUTPUT : GraphNode_Kind.STEP;
  };
  const nodes = ids.map((id) => ({
    id,
    kind: kindOf(id),
    label: id.startsWith("step:") ? `stage_${Number(id.slice(5)) + 1}` : id.split(":")[1],
    model: "stage",
    inputs: [tensor("a")],
    outputs: [tensor("b")],
  }));
  const edges = ids.slice(1).map((target, i) => ({
    id: `e${i}`,
    source: ids[i],
    sourcePort: "b",
    target,
    targetPort: "a",
    ...tensor(`t${i}`),
    tensor: `t${i}`,
    problem: i === broken ? "the types differ" : "",
  }));
  return create(GetGraphResponseSchema, { nodes, edges });
}
