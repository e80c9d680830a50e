/** A tensor on its way from one step to the next, with its name, type and shape. */
import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { cx } from "../../lib/cx";
import { middle, typeAndShape } from "../../lib/format";
import type { FlowEdge } from "./flow";
import css from "./graph.module.css";
import type { Point } from "./layout";
import { longestName } from "./sizes";

export function TensorEdge(props: EdgeProps<FlowEdge>) {
  const { id, data, selected } = props;
  const broken = data?.edge.problem !== "";
  return (
    <>
      <BaseEdge
        id={id}
        path={pathOf(props)}
        interactionWidth={16}
        className={cx(css.edge, broken && css.edgeBroken, selected && css.edgeSelected)}
      />
      {data?.label && (
        <EdgeLabelRenderer>
          <Label data={data} selected={selected ?? false} at={data.label} />
        </EdgeLabelRenderer>
      )}
    </>
  );
}

/** A curve from end to end, by way of the label's place where there is one: the layout kept that place free. */
function pathOf({ sourceX, sourceY, targetX, targetY, data }: EdgeProps<FlowEdge>): string {
  const start = { x: sourceX, y: sourceY };
  const end = { x: targetX, y: targetY };
  const curve = data?.direction === "down" ? curveDown : curveRight;
  const way = data?.label ? [data.label, end] : [end];
  return way.reduce((path, to, i) => path + curve(way[i - 1] ?? start, to), `M${sourceX} ${sourceY}`);
}

const leastBend = 24; // a line that has to go back still leaves its port straight

/** One piece of the curve, level at both of its ends. */
function curveRight(from: Point, to: Point): string {
  const bend = Math.max(Math.abs(to.x - from.x) / 2, leastBend);
  return `C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
}

/** One piece of the curve, upright at both of its ends. */
function curveDown(from: Point, to: Point): string {
  const bend = Math.max(Math.abs(to.y - from.y) / 2, leastBend);
  return `C${from.x} ${from.y + bend} ${to.x} ${to.y - bend} ${to.x} ${to.y}`;
}

type LabelProps = {
  readonly data: NonNullable<FlowEdge["data"]>;
  readonly selected: boolean;
  readonly at: Point;
};

/** Clicks go through to the edge below, which takes them and the focus. */
function Label({ data: { edge }, selected, at }: LabelProps) {
  return (
    <div
      className={cx(css.label, edge.problem && css.labelBroken, selected && css.labelSelected)}
      style={{ transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)` }}
    >
      <strong title={edge.tensor}>{middle(edge.tensor, longestName)}</strong>
      <span>{typeAndShape(edge.datatype, edge.shape)}</span>
    </div>
  );
}
