/** A step: the model, its state, its ports, and how long it took last. */
import { Handle, type NodeProps, Position } from "@xyflow/react";
import type { CSSProperties } from "react";
import { ModelState, type TensorSpec } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { middle, milliseconds, typeAndShape } from "../../lib/format";
import { StateIcon } from "../../workspace/StateIcon";
import { useModelSummary } from "../../workspace/workspace";
import type { FlowNode } from "./flow";
import css from "./graph.module.css";
import { longestName, portPlace, widestFont } from "./sizes";

export function StepNode({ data: { node, tookMs, found }, selected, width = 0 }: NodeProps<FlowNode>) {
  const summary = useModelSummary(node.model);
  return (
    <div
      title={node.problem || undefined}
      className={cx(css.step, selected && css.selected, node.problem && css.broken, found && css.found)}
    >
      <div className={css.stepHead}>
        <StateIcon
          state={summary?.state ?? ModelState.UNSPECIFIED}
          reason={summary?.reason ?? node.problem}
        />
        <strong
          title={node.label}
          className={css.name}
          style={{ "--widest": widestFont(node.label, width - 20) } as CSSProperties}
        >
          {middle(node.label, longestName)}
        </strong>
        <span className={css.took}>{tookMs === undefined ? node.modelKind : milliseconds(tookMs)}</span>
      </div>
      {node.inputs.map((port, i) => (
        <Port key={port.name} side="in" at={portPlace(i)} port={port} />
      ))}
      {node.outputs.map((port, i) => (
        <Port key={port.name} side="out" at={portPlace(i)} port={port} />
      ))}
    </div>
  );
}

type PortProps = { readonly side: "in" | "out"; readonly at: number; readonly port: TensorSpec };

function Port({ side, at, port }: PortProps) {
  const type = port.datatype ? typeAndShape(port.datatype, port.shape) : "is not a tensor of this model";
  return (
    <>
      <Handle
        id={`${side}:${port.name}`}
        className={css.handle}
        type={side === "in" ? "target" : "source"}
        position={side === "in" ? Position.Left : Position.Right}
        style={{ top: at }}
        isConnectable={false}
      />
      <span
        className={cx(css.port, side === "in" ? css.portIn : css.portOut, !port.datatype && css.portMissing)}
        style={{ top: at }}
        title={`${port.name} ${type}`}
      >
        {middle(port.name, longestName)}
      </span>
    </>
  );
}
