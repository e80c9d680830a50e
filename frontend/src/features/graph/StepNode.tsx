/** A step, or a called model: the model, its state, its ports, and how long it took last. */
import { Handle, type NodeProps, Position } from "@xyflow/react";
import type { CSSProperties } from "react";
import { ModelState, type TensorSpec } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { milliseconds, typeAndShape } from "../../lib/format";
import { StateIcon, stateWord } from "../../workspace/StateIcon";
import { useModelSummary } from "../../workspace/workspace";
import { callHandles, type FlowNode } from "./flow";
import css from "./graph.module.css";
import { Name } from "./Name";
import { callPlace, nearName, portPlace, portsLower, stepName } from "./sizes";

/** Whether a model answers requests. */
const serves = (state: ModelState): boolean =>
  state === ModelState.READY || state === ModelState.OLDER_SERVES;

export function StepNode({
  data: { node, tookMs, error, found, calling, called },
  selected,
  width = 0,
}: NodeProps<FlowNode>) {
  const summary = useModelSummary(node.model);
  const away = summary && !serves(summary.state);
  const idle = called && away;
  const took = error ? "failed" : tookMs === undefined ? node.modelKind : milliseconds(tookMs);
  return (
    <div
      title={node.problem || (error && `The last request failed here: ${error}`) || undefined}
      className={cx(
        css.step,
        idle ? css.idle : away && css.away,
        selected && css.selected,
        (node.problem || error) && css.broken,
        error && css.failed,
        found && css.found,
        !called && !calling && css.onLines,
      )}
      style={{ "--ports-lower": `${portsLower}px` } as CSSProperties}
    >
      <div className={css.stepHead}>
        <StateIcon
          state={summary?.state ?? ModelState.UNSPECIFIED}
          reason={summary?.reason ?? node.problem}
        />
        <Name text={node.label} title={node.label} {...stepName(width)} />
        <span className={css.took}>{idle ? stateWord[summary.state] : took}</span>
      </div>
      {called && <Dot id={callHandles.in} side="in" at={callPlace} />}
      {calling && <Dot id={callHandles.out} side="out" at={callPlace} />}
      {node.inputs.map((port, i) => (
        <Port key={port.name} side="in" at={portPlace(i)} port={port} />
      ))}
      {node.outputs.map((port, i) => (
        <Port key={port.name} side="out" at={portPlace(i)} port={port} />
      ))}
    </div>
  );
}

type DotProps = { readonly id: string; readonly side: "in" | "out"; readonly at: number };

/** Where a line meets the box. */
const Dot = ({ id, side, at }: DotProps) => (
  <Handle
    id={id}
    className={css.handle}
    type={side === "in" ? "target" : "source"}
    position={side === "in" ? Position.Left : Position.Right}
    style={{ top: at }}
    isConnectable={false}
  />
);

type PortProps = { readonly side: "in" | "out"; readonly at: number; readonly port: TensorSpec };

function Port({ side, at, port }: PortProps) {
  const type = port.datatype ? typeAndShape(port.datatype, port.shape) : "is not a tensor of this model";
  return (
    <>
      <Dot id={`${side}:${port.name}`} side={side} at={at} />
      <span
        className={cx(css.port, side === "in" ? css.portIn : css.portOut, !port.datatype && css.portMissing)}
        style={{ top: at }}
        title={`${port.name} ${type}`}
      >
        {nearName(port.name)}
      </span>
    </>
  );
}
