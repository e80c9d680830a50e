/** A tensor on its way from one step to the next, with its name, type and shape. */
import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from "@xyflow/react";
import { cx } from "../../lib/cx";
import { middle, typeAndShape } from "../../lib/format";
import type { FlowEdge } from "./flow";
import css from "./graph.module.css";

export function TensorEdge(props: EdgeProps<FlowEdge>) {
  const { id, data, selected } = props;
  const [path, x, y] = getBezierPath(props);
  const broken = data?.edge.problem !== "";
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        interactionWidth={16}
        className={cx(css.edge, broken && css.edgeBroken, selected && css.edgeSelected)}
      />
      {data?.label && (
        <EdgeLabelRenderer>
          <Label data={data} selected={selected ?? false} at={betweenEnds(props, { x, y }, data.label)} />
        </EdgeLabelRenderer>
      )}
    </>
  );
}

type Point = { readonly x: number; readonly y: number };

/** The layout's place for the label while that lies between the ends, otherwise the middle of the line. */
function betweenEnds({ sourceX, targetX }: EdgeProps<FlowEdge>, middlePoint: Point, label: Point): Point {
  return label.x > sourceX && label.x < targetX ? { x: label.x, y: middlePoint.y } : middlePoint;
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
      <strong title={edge.tensor}>{middle(edge.tensor, 26)}</strong>
      <span>{typeAndShape(edge.datatype, edge.shape)}</span>
      {edge.problem && (
        <em className={css.sentence} title={edge.problem}>
          {edge.problem}
        </em>
      )}
    </div>
  );
}
