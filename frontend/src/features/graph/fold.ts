/** The ensemble's own tensors are placed above and below the steps that take and give them. Pure functions. */
import { type GetGraphResponse, type GraphEdge, type GraphNode, GraphNode_Kind } from "../../api/conch_pb";
import { grouped } from "./grouped";
import { between, type Point } from "./layered";
import { ranksOf } from "./ranks";
import { hasLabel, labelSize, nodeSize, portOf, readableZoom, type Size } from "./sizes";

type Graph = Pick<GetGraphResponse, "nodes" | "edges">;

/** The place and size of a node in the box of its step. */
export type Inside = Size &
  Point & {
    readonly step: string;
    /** How far beside the box the line between this tensor and the step runs; 0 for the step itself. */
    readonly lane: number;
  };

export type Fold = {
  /** The sizes of the boxes that are laid out, by the step's id. */
  readonly boxes: ReadonlyMap<string, Size>;
  /** Every node of such a box, the step too. */
  readonly inside: ReadonlyMap<string, Inside>;
};

/** How wide a graph may be in a drawing of a width, less its margins, where names can be read. */
const roomIn = (width: number) => (width - 2 * 24) / readableZoom;
/** Beside sidebar and try pane at 1280. */
const narrowRoom = roomIn(594);
const mostTensors = 3; // more of them get a column of their own
const tensorGap = 12;
const stepGap = 18;
const firstLane = 14;
const laneGap = 7;

const nothing: Fold = { boxes: new Map(), inside: new Map() };

/** Whether a drawing of a width has room for all of a graph from left to right. */
export const fitsStraight = (graph: Graph, width: number): boolean => widthOf(graph) <= roomIn(width);

/** A line between a folded tensor and its step turns round. So only a graph that fits just by folding is folded. */
export function foldOf(graph: Graph, straight: boolean): Fold {
  if (straight || widthOf(graph) <= narrowRoom) return nothing;
  const fold = foldedOf(graph);
  const rest = {
    nodes: graph.nodes.filter(({ id }) => (fold.inside.get(id)?.step ?? id) === id),
    edges: graph.edges.filter((edge) => !staysInside(fold, edge)),
  };
  return widthOf(rest) <= narrowRoom ? fold : nothing;
}

function foldedOf(graph: Graph): Fold {
  const inputs = homesOf(inputsToFold(graph), "inputs");
  const outputs = homesOf(outputsToFold(graph), "outputs");
  const boxes = new Map<string, Size>();
  const inside = new Map<string, Inside>();
  for (const step of graph.nodes) {
    const [above, below] = [inputs.get(step.id) ?? [], outputs.get(step.id) ?? []];
    if (step.kind !== GraphNode_Kind.STEP || above.length + below.length === 0) continue;
    const width = [step, ...above, ...below].reduce((most, node) => Math.max(most, nodeSize(node).width), 0);
    let y = 0;
    const put = (node: GraphNode, at: { x: number; width: number; lane: number }, gap: number) => {
      const { height } = nodeSize(node);
      inside.set(node.id, { step: step.id, y, height, ...at });
      y += height + gap;
    };
    for (const [i, node] of above.entries()) {
      const nearest = above.length - 1 - i;
      const lane = -firstLane - laneGap * nearest;
      put(node, { x: 0, width: nodeSize(node).width, lane }, nearest === 0 ? stepGap : tensorGap);
    }
    put(step, { x: 0, width, lane: 0 }, stepGap);
    for (const [i, node] of below.entries()) {
      const size = nodeSize(node);
      put(node, { x: width - size.width, width: size.width, lane: firstLane + laneGap * i }, tensorGap);
    }
    boxes.set(step.id, { width, height: y - (below.length > 0 ? tensorGap : stepGap) });
  }
  return { boxes, inside };
}

/** How wide the graph is with a column for each kind of tensor. */
function widthOf({ nodes, edges }: Graph): number {
  const ranks = ranksOf(
    nodes.map(({ id }) => id),
    edges,
  );
  const rank = (id: string) => ranks.get(id) ?? 0;
  const columns = new Map<number, number>();
  const widen = (column: number, { width }: Size) =>
    columns.set(column, Math.max(columns.get(column) ?? 0, width));
  for (const node of nodes) widen(2 * rank(node.id), nodeSize(node));
  for (const edge of edges)
    if (hasLabel(edge) && rank(edge.source) < rank(edge.target))
      widen(2 * rank(edge.source) + 1, labelSize(edge));
  return [...columns.values()].reduce((sum, width) => sum + width + between, -between);
}

/** Whether an edge stays in the box of its step. */
export function staysInside({ inside }: Fold, { source, target }: GraphEdge): boolean {
  const home = inside.get(source)?.step;
  return home !== undefined && home === inside.get(target)?.step;
}

type Home = { readonly node: GraphNode; readonly step: GraphNode; readonly port: string };

/** The tensors at each step. The one next to it has the nearest port, so that their lines do not cross. */
function homesOf(homes: readonly Home[], side: "inputs" | "outputs"): Map<string, GraphNode[]> {
  const place = ({ step, port }: Home) => portOf(step, side, port);
  const few = [...grouped(homes, ({ step }) => step.id)].filter(([, list]) => list.length <= mostTensors);
  return new Map(
    few.map(([id, list]) => [id, [...list].sort((a, b) => place(b) - place(a)).map(({ node }) => node)]),
  );
}

/** An input is placed at the first step that takes it, unless several steps of one column do. */
function inputsToFold({ nodes, edges }: Graph): Home[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ranks = ranksOf([...byId.keys()], edges);
  const taken = grouped(edges, ({ source }) => source);
  return nodes.flatMap((node) => {
    if (node.kind !== GraphNode_Kind.INPUT) return [];
    const out = taken.get(node.id) ?? [];
    const rank = ({ target }: GraphEdge) => ranks.get(target) ?? 0;
    const least = out.reduce((min, edge) => Math.min(min, rank(edge)), Number.POSITIVE_INFINITY);
    const [first, ...others] = out.filter((edge) => rank(edge) === least);
    const step = first && byId.get(first.target);
    if (!step || others.some(({ target }) => target !== step.id)) return [];
    return [{ node, step, port: first.targetPort }];
  });
}

/** An output is placed at the step that gives it. */
function outputsToFold({ nodes, edges }: Graph): Home[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const given = grouped(edges, ({ target }) => target);
  return nodes.flatMap((node) => {
    const [edge, ...others] = given.get(node.id) ?? [];
    const step = edge && byId.get(edge.source);
    if (node.kind !== GraphNode_Kind.OUTPUT || !step || others.length > 0) return [];
    return [{ node, step, port: edge.sourcePort }];
  });
}
