/** A step: the model, its state, its ports, and how long it took last. */
import { Handle, type NodeProps, Position } from "@xyflow/react";
import { ModelState } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { middle, milliseconds, typeAndShape } from "../../lib/format";
import { useModelSummary } from "../../stores/workspace";
import { StateIcon } from "../../ui/StateIcon";
import type { FlowNode } from "./flow";
import css from "./graph.module.css";
import { portOffset } from "./layout";

const longestName = 26;

export function StepNode({ data: { node, tookMs }, selected }: NodeProps<FlowNode>) {
  const summary = useModelSummary(node.model);
  return (
    <div className={cx(css.step, selected && css.selected, node.problem && css.broken)}>
      <div className={css.stepHead}>
        <StateIcon
          state={summary?.state ?? ModelState.UNSPECIFIED}
          reason={summary?.reason ?? node.problem}
        />
        <strong title={node.label}>{middle(node.label, longestName)}</strong>
        <span className={css.took}>{tookMs === undefined ? node.modelKind : milliseconds(tookMs)}</span>
      </div>
      {node.problem && (
        <div className={css.sentence} title={node.problem}>
          {node.problem}
        </div>
      )}
      {node.inputs.map((port, i) => (
        <Port key={port.name} side="in" top={portOffset(i, node.problem !== "")} port={port} />
      ))}
      {node.outputs.map((port, i) => (
        <Port key={port.name} side="out" top={portOffset(i, node.problem !== "")} port={port} />
      ))}
    </div>
  );
}

type PortProps = {
  readonly side: "in" | "out";
  readonly top: number;
  readonly port: { readonly name: string; readonly datatype: string; readonly shape: readonly bigint[] };
};

function Port({ side, top, port }: PortProps) {
  const input = side === "in";
  return (
    <>
      <Handle
        id={`${side}:${port.name}`}
        className={css.handle}
        type={input ? "target" : "source"}
        position={input ? Position.Left : Position.Right}
        style={{ top }}
        isConnectable={false}
      />
      <span
        className={cx(css.port, input ? css.portIn : css.portOut)}
        style={{ top: top - 9 }}
        title={`${port.name} ${typeAndShape(port.datatype, port.shape)}`}
      >
        {middle(port.name, longestName)}
      </span>
    </>
  );
}
