/**
 * The drawing of a small ensemble for a pane in which the usual one cannot be read as a whole: it runs from above down,
 * and a step is one line with its state, its name and its time. Pure functions.
 */
import type { GetGraphResponse, GraphNode } from "../../api/conch_pb";
import { layered, type Point } from "./layered";
import { type Layout, layoutOf, whole } from "./layout";
import { hasLabel, isModel, labelSize, type Size, stepTitle, tensorSize } from "./sizes";
import { fittingZoom, wholeZoom } from "./viewport";
import type { Arrow } from "./walk";

const most = 12; // steps of an ensemble that is tried so
const between = { named: 11, bare: 18 }; // pixels from a row of boxes to the labels under it, or to the next row
const labelHeight = 20;

/** The drawings that run down, the one that says most first: the second is without types and the tensors between the steps. */
export function smallLayouts(graph: GetGraphResponse): readonly Layout[] {
  const { nodes, edges } = graph;
  if (nodes.filter(isModel).length > most || edges.some(({ calls }) => calls)) return [];
  const drawn = whole(graph);
  return (["named", "bare"] as const).map((down) => smallLayout(drawn, down));
}

type Down = NonNullable<Layout["down"]>;

/** Laid out from left to right with widths for heights, and turned. */
function smallLayout(graph: Pick<GetGraphResponse, "nodes" | "edges">, down: Down): Layout {
  const sizeOf = (node: GraphNode) => turnedSize(smallSize(node, down));
  const middles = new Map(graph.nodes.map((node) => [node.id, sizeOf(node).height / 2]));
  const boxes = graph.nodes.map((node) => ({
    id: node.id,
    ...sizeOf(node),
    align: "start" as const,
    before: undefined,
  }));
  const lines = graph.edges.map((edge) => ({
    id: edge.id,
    source: edge.source,
    target: edge.target,
    from: middles.get(edge.source) ?? 0,
    to: middles.get(edge.target) ?? 0,
    tensor: `${edge.source} ${edge.sourcePort}`,
    label:
      down === "named" && hasLabel(edge) ? { width: labelHeight, height: labelSize(edge).width } : undefined,
  }));
  const places = layered(boxes, lines, between[down]);
  return { ...turned(layoutOf(graph, places, undefined, sizeOf)), down };
}

function smallSize(node: GraphNode, down: Down): Size {
  if (isModel(node)) return { width: stepTitle(node), height: 36 };
  return tensorSize(node, down === "named" ? "beside" : "left out");
}

const turnedSize = ({ width, height }: Size): Size => ({ width: height, height: width });

const turnedPoint = ({ x, y }: Point): Point => ({ x: y, y: x });

/** What ran to the right runs down. */
export function turned({ nodes, edges, ...size }: Layout): Layout {
  return {
    ...size,
    ...turnedSize(size),
    nodes: nodes.map((one) => ({ ...one, ...turnedSize(one), position: turnedPoint(one.position) })),
    edges: edges.map(({ edge, points, label }) => ({
      edge,
      points: points.map(turnedPoint),
      label: label && turnedPoint(label),
    })),
  };
}

/** The arrow that leads in a turned drawing to where this one leads. */
export const turnedArrow: Readonly<Record<Arrow, Arrow>> = {
  ArrowDown: "ArrowRight",
  ArrowUp: "ArrowLeft",
  ArrowRight: "ArrowDown",
  ArrowLeft: "ArrowUp",
};

/** The first drawing that can be read where all of it is in sight; else the first. */
export function readWhole(layouts: readonly [Layout, ...Layout[]], room: Size): Layout {
  return layouts.find((layout) => fittingZoom(layout, room) >= wholeZoom(layout)) ?? layouts[0];
}
