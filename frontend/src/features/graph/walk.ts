/** Where the arrow keys lead in the graph. Pure functions. */
import type { Layout, Placed } from "./layout";

export type Arrow = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

export const isArrow = (key: string): key is Arrow => /^Arrow(Left|Right|Up|Down)$/.test(key);

const middle = ({ position, height }: Placed) => position.y + height / 2;

const nearest = (list: readonly Placed[], from: Placed): Placed | undefined =>
  list.reduce<Placed | undefined>(
    (best, one) =>
      best && Math.abs(middle(best) - middle(from)) <= Math.abs(middle(one) - middle(from)) ? best : one,
    undefined,
  );

/** Left and right go along the edges, up and down within the column. Without a start, to the first node. */
export function stepTo({ nodes, edges }: Layout, id: string, arrow: Arrow): string {
  const byId = new Map(nodes.map((placed) => [placed.node.id, placed]));
  const edge = edges.find((routed) => routed.edge.id === id)?.edge;
  if (edge) return arrow === "ArrowLeft" || arrow === "ArrowUp" ? edge.source : edge.target;
  const here = byId.get(id);
  if (!here) return nodes[0]?.node.id ?? "";
  if (arrow === "ArrowUp" || arrow === "ArrowDown") return beside(nodes, here, arrow) ?? id;
  const forward = arrow === "ArrowRight";
  const reached = edges.flatMap(({ edge: { source, target } }) => {
    const [from, to] = forward ? [source, target] : [target, source];
    const placed = byId.get(to);
    return from === id && placed ? [placed] : [];
  });
  return nearest(reached, here)?.node.id ?? id;
}

/** The next one above or below in the same column. */
function beside(nodes: readonly Placed[], here: Placed, arrow: Arrow): string | undefined {
  const overlaps = ({ position: { x }, width }: Placed) =>
    x < here.position.x + here.width && here.position.x < x + width;
  const column = nodes.filter(overlaps).sort((a, b) => a.position.y - b.position.y);
  const at = column.indexOf(here) + (arrow === "ArrowUp" ? -1 : 1);
  return column[at]?.node.id;
}
