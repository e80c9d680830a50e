/** A step: the model, its state, its ports, and how long it took last. */
import { Handle, type NodeProps, Position } from "@xyflow/react";
import { ModelState, type TensorSpec } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { middle, milliseconds, typeAndShape } from "../../lib/format";
import { StateIcon } from "../../workspace/StateIcon";
import { useModelSummary } from "../../workspace/workspace";
import type { FlowNode } from "./flow";
import css from "./graph.module.css";
import { type Direction, longestName, portPlace } from "./sizes";

export function StepNode({ data: { node, direction, tookMs }, selected }: NodeProps<FlowNode>) {
  const summary = useModelSummary(node.model);
  const down = direction === "down";
  return (
    <div
      title={node.problem || undefined}
      className={cx(css.step, down && css.stepDown, selected && css.selected, node.problem && css.broken)}
    >
      <div className={css.stepHead}>
        <StateIcon
          state={summary?.state ?? ModelState.UNSPECIFIED}
          reason={summary?.reason ?? node.problem}
        />
        <strong title={node.label}>{middle(node.label, longestName)}</strong>
        <span className={css.took}>{tookMs === undefined ? node.modelKind : milliseconds(tookMs)}</span>
      </div>
      {node.inputs.map((port, i) => (
        <Port
          key={port.name}
          side="in"
          direction={direction}
          at={portPlace(i, node.inputs.length, direction)}
          port={port}
        />
      ))}
      {node.outputs.map((port, i) => (
        <Port
          key={port.name}
          side="out"
          direction={direction}
          at={portPlace(i, node.outputs.length, direction)}
          port={port}
        />
      ))}
    </div>
  );
}

type PortProps = {
  readonly side: "in" | "out";
  readonly direction: Direction;
  readonly at: number | string; // along its side
  readonly port: TensorSpec;
};

const positions = {
  right: { in: Position.Left, out: Position.Right },
  down: { in: Position.Top, out: Position.Bottom },
} as const;

const classes = {
  right: { in: css.portIn, out: css.portOut },
  down: { in: css.portAbove, out: css.portBelow },
} as const;

function Port({ side, direction, at, port }: PortProps) {
  const style = direction === "right" ? { top: at } : { left: at };
  const type = port.datatype ? typeAndShape(port.datatype, port.shape) : "is not a tensor of this model";
  return (
    <>
      <Handle
        id={`${side}:${port.name}`}
        className={css.handle}
        type={side === "in" ? "target" : "source"}
        position={positions[direction][side]}
        style={style}
        isConnectable={false}
      />
      <span
        className={cx(css.port, classes[direction][side], !port.datatype && css.portMissing)}
        style={style}
        title={`${port.name} ${type}`}
      >
        {middle(port.name, longestName)}
      </span>
    </>
  );
}
