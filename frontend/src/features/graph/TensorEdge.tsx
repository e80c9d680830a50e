/** A tensor on its way from one step to the next, with its name, type and shape; or the calls of one model by another. */
import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import type { GraphEdge } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { typeAndShape } from "../../lib/format";
import { callsPhrase, lastCall } from "./calls";
import { curve } from "./curve";
import type { FlowEdge } from "./flow";
import css from "./graph.module.css";
import { Name } from "./Name";
import { labelSize, tensorNameSize } from "./sizes";

export function TensorEdge({ id, data, selected }: EdgeProps<FlowEdge>) {
  if (!data) return null;
  const path = curve(data.points, data.down);
  const { problem, calls } = data.edge;
  const broken = problem !== "" || calls?.newestFailed === true;
  return (
    <>
      {selected && <path d={path} className={cx(css.halo, broken && css.haloBroken)} />}
      <BaseEdge
        id={id}
        path={path}
        interactionWidth={16}
        className={cx(
          css.edge,
          calls && css.edgeCalls,
          calls && calls.running > 0n && css.edgeRunning,
          selected && css.edgeSelected,
          broken && css.edgeBroken,
        )}
      />
      {data.label && (
        <EdgeLabelRenderer>
          <Label data={data} />
        </EdgeLabelRenderer>
      )}
    </>
  );
}

/** Clicks go through to the edge below, which takes them. */
function Label({ data }: { readonly data: NonNullable<FlowEdge["data"]> }) {
  const { edge, label, labelBroken, labelSelected, found } = data;
  return (
    <div
      className={cx(
        css.label,
        labelSelected && css.labelSelected,
        labelBroken && css.labelBroken,
        found && css.found,
      )}
      style={{ transform: `translate(-50%, -50%) translate(${label?.x}px, ${label?.y}px)` }}
    >
      <Words edge={edge} />
    </div>
  );
}

function Words({ edge }: { readonly edge: GraphEdge }) {
  const text = edge.calls ? callsPhrase(edge.calls) : edge.tensor;
  return (
    <>
      <Name
        text={text}
        title={text}
        whole={edge.calls !== undefined}
        width={labelSize(edge).width + 40}
        size={tensorNameSize}
      />
      <span>{edge.calls ? lastCall(edge.calls) : typeAndShape(edge.datatype, edge.shape)}</span>
    </>
  );
}
