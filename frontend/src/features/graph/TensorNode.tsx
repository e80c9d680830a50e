/** An input or output of the ensemble itself. */
import { Handle, type NodeProps, Position } from "@xyflow/react";
import { GraphNode_Kind } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { typeAndShape } from "../../lib/format";
import type { FlowNode } from "./flow";
import css from "./graph.module.css";
import { Name } from "./Name";
import { pillName } from "./sizes";

export function TensorNode({ data: { node, found }, selected, width = 0 }: NodeProps<FlowNode>) {
  const tensor = node.outputs[0] ?? node.inputs[0];
  const isInput = node.kind === GraphNode_Kind.INPUT;
  return (
    <div
      className={cx(css.pill, selected && css.selected, node.problem && css.broken, found && css.found)}
      title={node.problem || node.label}
    >
      <Name text={node.label} {...pillName(width)} />
      {tensor && <span>{typeAndShape(tensor.datatype, tensor.shape)}</span>}
      <Handle
        className={css.handle}
        type={isInput ? "source" : "target"}
        position={isInput ? Position.Right : Position.Left}
        isConnectable={false}
      />
    </div>
  );
}
