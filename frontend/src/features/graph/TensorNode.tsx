/** An input or output of the ensemble itself. */
import { Handle, type NodeProps, Position } from "@xyflow/react";
import { GraphNode_Kind } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { middle, typeAndShape } from "../../lib/format";
import type { FlowNode } from "./flow";
import css from "./graph.module.css";

export function TensorNode({ data: { node }, selected }: NodeProps<FlowNode>) {
  const tensor = node.outputs[0] ?? node.inputs[0];
  const isInput = node.kind === GraphNode_Kind.INPUT;
  return (
    <div
      className={cx(css.pill, selected && css.selected, node.problem && css.broken)}
      title={node.problem || node.label}
    >
      <strong>{middle(node.label, 26)}</strong>
      {tensor && <span>{typeAndShape(tensor.datatype, tensor.shape)}</span>}
      <Handle
        id={isInput ? `out:${node.label}` : `in:${node.label}`}
        className={css.hidden}
        type={isInput ? "source" : "target"}
        position={isInput ? Position.Right : Position.Left}
        isConnectable={false}
      />
    </div>
  );
}
