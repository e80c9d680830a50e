/** Where the arrow keys lead in the graph. Pure functions. */
import type { Layout, Placed, Routed } from "./layout";

export type Arrow = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

export const isArrow = (key: string): key is Arrow => /^Arrow(Left|Right|Up|Down)$/.test(key);

const middle = ({ position, height }: Placed) => position.y + height / 2;

/** Right and left go from node to edge to node, up and down within the column. Without a start, to the first node. */
export function stepTo(layout: Layout, id: string, arrow: Arrow): string {
  const { nodes, edges } = layout;
  const edge = edges.find((routed) => routed.edge.id === id);
  if (edge) return fromEdge(edges, edge, arrow);
  const here = nodes.find(({ node }) => node.id === id);
  if (!here) return nodes[0]?.node.id ?? "";
  if (arrow === "ArrowUp" || arrow === "ArrowDown") return beside(nodes, here, arrow) ?? id;
  const side = arrow === "ArrowRight" ? "source" : "target";
  const joined = edges.filter((one) => one.edge[side] === id);
  const away = (one: Routed) => Math.abs(heightOf(one) - middle(here));
  return [...joined].sort((a, b) => away(a) - away(b))[0]?.edge.id ?? id;
}

/** An edge is at the mean height of its ends. */
const heightOf = ({ points }: Routed) => ((points[0]?.y ?? 0) + (points.at(-1)?.y ?? 0)) / 2;

/** Up and down go through the edges that begin or end where this one does. */
function fromEdge(edges: readonly Routed[], here: Routed, arrow: Arrow): string {
  const { id, source, target } = here.edge;
  if (arrow === "ArrowLeft") return source;
  if (arrow === "ArrowRight") return target;
  const near = edges
    .filter(({ edge }) => edge.source === source || edge.target === target)
    .sort((a, b) => heightOf(a) - heightOf(b));
  return near[near.indexOf(here) + (arrow === "ArrowUp" ? -1 : 1)]?.edge.id ?? id;
}

/** The next one above or below in the same column. */
function beside(nodes: readonly Placed[], here: Placed, arrow: Arrow): string | undefined {
  const overlaps = ({ position: { x }, width }: Placed) =>
    x < here.position.x + here.width && here.position.x < x + width;
  const column = nodes.filter(overlaps).sort((a, b) => a.position.y - b.position.y);
  const at = column.indexOf(here) + (arrow === "ArrowUp" ? -1 : 1);
  return column[at]?.node.id;
}
