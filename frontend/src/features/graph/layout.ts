/** An ensemble's graph as boxes and lines, and where they stand. Pure functions. */
import { create } from "@bufbuild/protobuf";
import {
  type GetGraphResponse,
  type GraphEdge,
  type GraphNode,
  GraphNode_Kind,
  type TensorSpec,
  TensorSpecSchema,
} from "../../api/conch_pb";
import { grouped } from "./grouped";
import type { Box, Line, Places, Point } from "./layered";
import { callPlace, hasLabel, isModel, labelSize, nodeSize, portOf, type Size } from "./sizes";

type Graph = Pick<GetGraphResponse, "nodes" | "edges">;

/** What the layouter is asked. It changes only when something has to move. */
export type Plan = { readonly boxes: readonly Box[]; readonly lines: readonly Line[] };

export type Placed = Size & { readonly node: GraphNode; readonly position: Point };
export type Routed = {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
  /** Where the label of the tensor stands; on one of its edges. */
  readonly label: Point | undefined;
};
export type Layout = Size & {
  readonly nodes: readonly Placed[];
  readonly edges: readonly Routed[];
  /** Of a drawing that runs from above down (small.ts): whether it names types and the tensors between the steps. */
  readonly down?: "named" | "bare";
};

/** Heights of a layout by what the nodes are: a step that got another number is still the same step. */
export type Before = ReadonlyMap<string, number>;

/** Each edge has a port at both its ends, also one that the model lacks. Edges to nowhere are left out. */
export function whole({ nodes, edges }: Graph): Graph {
  const ids = new Set(nodes.map(({ id }) => id));
  const drawn = edges.filter(({ source, target }) => ids.has(source) && ids.has(target));
  const tensors = drawn.filter(({ calls }) => !calls);
  const into = grouped(tensors, ({ target }) => target);
  const out = grouped(tensors, ({ source }) => source);
  return {
    nodes: nodes.map((node) => withPorts(node, into.get(node.id) ?? [], out.get(node.id) ?? [])),
    edges: drawn,
  };
}

/** The graph's boxes and lines; nodes that stood somewhere begin there. */
export function planOf({ nodes, edges }: Graph, before: Before): Plan {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const names = namesOf(nodes);
  const boxes = nodes.map((node) => ({
    id: node.id,
    ...nodeSize(node),
    align: node.kind === GraphNode_Kind.INPUT ? ("end" as const) : ("start" as const),
    before: before.get(names.get(node.id) ?? ""),
  }));
  const lines = edges.flatMap((edge) => {
    const [source, target] = [byId.get(edge.source), byId.get(edge.target)];
    if (!source || !target) return [];
    return [
      {
        id: edge.id,
        source: edge.source,
        target: edge.target,
        from: edge.calls ? callPlace : portOf(source, "outputs", edge.sourcePort),
        to: edge.calls ? callPlace : portOf(target, "inputs", edge.targetPort),
        tensor: edge.calls ? edge.id : `${edge.source} ${edge.sourcePort}`,
        label: hasLabel(edge) ? labelSize(edge) : undefined,
      },
    ];
  });
  return { boxes, lines };
}

/** What a node is, whatever its place in the list of steps. */
function namesOf(nodes: readonly GraphNode[]): Map<string, string> {
  const seen = new Map<string, number>();
  return new Map(
    nodes.map((node) => {
      const name = `${node.kind} ${node.label}`;
      const nth = seen.get(name) ?? 0;
      seen.set(name, nth + 1);
      return [node.id, `${name} ${nth}`];
    }),
  );
}

/** The drawing: the graph at its places. What was there before stays where it was, as a whole. */
export function layoutOf({ nodes, edges }: Graph, places: Places, old?: Layout, sizeOf = nodeSize): Layout {
  const at = new Map(places.boxes.map(({ id, x, y }) => [id, { x, y }]));
  const placed = new Map(
    nodes.map((node) => [node.id, { node, ...sizeOf(node), position: at.get(node.id) ?? { x: 0, y: 0 } }]),
  );
  const ways = new Map(places.ways.map((way) => [way.id, way]));
  const names = namesOf(nodes);
  const { x: dx, y: dy } = old
    ? shift(old, new Map(nodes.map(({ id }) => [names.get(id) ?? "", placed.get(id)?.position])))
    : { x: 0, y: 0 };
  const moved = ({ x, y }: Point) => ({ x: x + dx, y: y + dy });
  return {
    width: places.width,
    height: places.height,
    nodes: [...placed.values()].map((one) => ({ ...one, position: moved(one.position) })),
    edges: edges.map((edge) => {
      const way = ways.get(edge.id);
      return { edge, points: (way?.points ?? []).map(moved), label: way?.label && moved(way.label) };
    }),
  };
}

/** How far the new places must be moved so that most of what was there does not move. */
function shift(old: Layout, now: ReadonlyMap<string, Point | undefined>): Point {
  const names = namesOf(old.nodes.map(({ node }) => node));
  const x: number[] = [];
  const y: number[] = [];
  for (const { node, position } of old.nodes) {
    const to = now.get(names.get(node.id) ?? "");
    if (!to) continue;
    x.push(position.x - to.x);
    y.push(position.y - to.y);
  }
  return { x: median(x), y: median(y) };
}

const median = (list: readonly number[]) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;

export function beforeOf(layout: Layout | undefined): Before {
  if (!layout) return new Map();
  const names = namesOf(layout.nodes.map(({ node }) => node));
  return new Map(layout.nodes.map(({ node, position }) => [names.get(node.id) ?? "", position.y]));
}

function withPorts(node: GraphNode, into: readonly GraphEdge[], out: readonly GraphEdge[]): GraphNode {
  if (!isModel(node)) return withType(node, out[0] ?? into[0]);
  const inputs = withNames(
    node.inputs,
    into.map(({ targetPort }) => targetPort),
  );
  const outputs = withNames(
    node.outputs,
    out.map(({ sourcePort }) => sourcePort),
  );
  return { ...node, inputs, outputs };
}

/** The ensemble's own tensors are known by the edges at them. */
function withType(node: GraphNode, edge: GraphEdge | undefined): GraphNode {
  if (node.inputs.length > 0 || node.outputs.length > 0 || !edge?.datatype) return node;
  const { datatype, shape } = edge;
  return { ...node, outputs: [create(TensorSpecSchema, { name: node.label, datatype, shape })] };
}

function withNames(specs: TensorSpec[], names: readonly string[]): TensorSpec[] {
  const known = new Set(specs.map(({ name }) => name));
  const missing = new Set(names.filter((name) => !known.has(name)));
  return [...specs, ...[...missing].map((name) => create(TensorSpecSchema, { name }))];
}
