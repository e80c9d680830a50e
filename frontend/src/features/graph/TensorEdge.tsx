/** A tensor on its way from one step to the next, with its name, type and shape. */
import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import type { CSSProperties } from "react";
import { cx } from "../../lib/cx";
import { middle, typeAndShape } from "../../lib/format";
import { angular, curve } from "./curve";
import type { FlowEdge } from "./flow";
import css from "./graph.module.css";
import { labelSize, longestName, widestFont } from "./sizes";

export function TensorEdge({ id, data, selected }: EdgeProps<FlowEdge>) {
  if (!data) return null;
  const path = data.around ? angular(data.points) : curve(data.points);
  const broken = data.edge.problem !== "";
  return (
    <>
      {selected && <path d={path} className={cx(css.halo, broken && css.haloBroken)} />}
      <BaseEdge
        id={id}
        path={path}
        interactionWidth={16}
        className={cx(css.edge, selected && css.edgeSelected, broken && css.edgeBroken)}
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
      <strong
        title={edge.tensor}
        className={css.name}
        style={{ "--widest": widestFont(edge.tensor, labelSize(edge).width + 40) } as CSSProperties}
      >
        {middle(edge.tensor, longestName)}
      </strong>
      <span>{typeAndShape(edge.datatype, edge.shape)}</span>
    </div>
  );
}
