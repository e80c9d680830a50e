/** A tree of calls as a flame graph: where each call lies. Pure functions. */

export interface FlameNode {
  readonly name: string;
  /** Index of the caller; -1 for none. Callers come before what they call. */
  readonly parent: number;
  /** Time in it and in what it calls. */
  readonly total: number;
  readonly calls: number;
  /** "" where it is not written in Python. */
  readonly file: string;
  readonly line: number;
}

export interface FlameBox {
  readonly node: number;
  readonly depth: number;
  /** As shares of the width. */
  readonly left: number;
  readonly width: number;
}

/** What each node calls, the longest first; the last list is of those that nobody calls. */
export function childrenOf(nodes: readonly FlameNode[]): readonly (readonly number[])[] {
  const lists: number[][] = [...nodes, undefined].map(() => []);
  nodes.forEach(({ parent }, node) => {
    lists[parent < 0 ? nodes.length : parent]?.push(node);
  });
  for (const list of lists) list.sort((a, b) => (nodes[b]?.total ?? 0) - (nodes[a]?.total ?? 0));
  return lists;
}

/** The time of the whole tree. */
export const totalOf = (nodes: readonly FlameNode[]): number =>
  nodes.reduce((sum, { parent, total }) => (parent < 0 ? sum + total : sum), 0);

/** The callers of a node, the outermost first, and the node itself. */
export function pathTo(nodes: readonly FlameNode[], node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = nodes[at]?.parent ?? -1) path.unshift(at);
  return path;
}

/** Where the calls lie when one of them (-1: all) takes the whole width. What is narrower than `least` is left out. */
export function layoutFlame(nodes: readonly FlameNode[], zoomed: number, least: number): FlameBox[] {
  const children = childrenOf(nodes);
  const boxes: FlameBox[] = pathTo(nodes, zoomed).map((node, depth) => ({ node, depth, left: 0, width: 1 }));
  const whole = zoomed < 0 ? totalOf(nodes) : (nodes[zoomed]?.total ?? 0);
  if (whole <= 0) return boxes;
  const below = (list: readonly number[], depth: number, from: number) => {
    let left = from;
    for (const node of list) {
      const width = (nodes[node]?.total ?? 0) / whole;
      if (width < least) return; // the others are narrower
      boxes.push({ node, depth, left, width });
      below(children[node] ?? [], depth + 1, left);
      left += width;
    }
  };
  below(children[zoomed < 0 ? nodes.length : zoomed] ?? [], boxes.length, 0);
  return boxes;
}

/** Where an arrow key leads: to the caller, to the longest call, or to the calls beside it. */
export function stepFlame(nodes: readonly FlameNode[], at: number, key: string): number {
  const children = childrenOf(nodes);
  const parent = nodes[at]?.parent ?? -1;
  const siblings = children[parent < 0 ? nodes.length : parent] ?? [];
  const place = siblings.indexOf(at);
  if (key === "ArrowUp") return parent < 0 ? at : parent;
  if (key === "ArrowDown") return children[at]?.[0] ?? at;
  if (key === "ArrowLeft") return siblings[place - 1] ?? at;
  if (key === "ArrowRight") return siblings[place + 1] ?? at;
  return at;
}
