/** The heights of all vertices, in the order of their columns: lines as level as the room allows. */
import type { Link, Vertex } from "./layered";

const rounds = 6;

/** Long lines are kept straight first. */
const weightOf = ({ left, right }: Link) =>
  left.passes && right.passes ? 8 : left.passes || right.passes ? 2 : 1;

/** Room between neighbours of a column. */
const room = (upper: Vertex, lower: Vertex) =>
  upper.passes && lower.passes ? 12 : upper.passes || lower.passes ? 18 : 28;

type Pull = { readonly weight: number; readonly top: () => number };

export function settleHeights(columns: readonly Vertex[][], links: readonly Link[]): void {
  const fromLeft = new Map<Vertex, Pull[]>();
  const fromRight = new Map<Vertex, Pull[]>();
  for (const link of firstBranches(links)) {
    const { left, right, from, to } = link;
    const weight = weightOf(link);
    pulls(fromLeft, right).push({ weight, top: () => left.top + from - to });
    pulls(fromRight, left).push({ weight, top: () => right.top + to - from });
  }
  for (const column of columns) stack(column);
  const all = new Map(
    [...new Set([...fromLeft.keys(), ...fromRight.keys()])].map((vertex) => [
      vertex,
      [...(fromLeft.get(vertex) ?? []), ...(fromRight.get(vertex) ?? [])],
    ]),
  );
  for (let round = 0; round < rounds; round++) {
    for (const column of columns) settle(column, round < rounds - 2 ? fromLeft : all);
    for (const column of [...columns].reverse()) settle(column, round < rounds - 2 ? fromRight : all);
  }
}

/**
 * Of a line that branches to several ports of one box, the branch to the highest. The mean of them would lift each box of a chain a
 * little above the one before, and a long chain would be a slope.
 */
function firstBranches(links: readonly Link[]): readonly Link[] {
  const into = new Map<Vertex, Link[]>();
  for (const link of links) {
    const others = into.get(link.right) ?? [];
    into.set(link.right, others);
    const same = others.findIndex(({ left, from }) => left === link.left && from === link.from);
    if (same < 0) others.push(link);
    else if (link.to < (others[same]?.to ?? 0)) others[same] = link;
  }
  return [...into.values()].flat();
}

function pulls(map: Map<Vertex, Pull[]>, vertex: Vertex): Pull[] {
  const list = map.get(vertex) ?? [];
  map.set(vertex, list);
  return list;
}

/** One under the other, about the middle. */
function stack(column: readonly Vertex[]): void {
  let top = 0;
  for (const [i, vertex] of column.entries()) {
    const above = column[i - 1];
    if (above) top += above.height + room(above, vertex);
    vertex.top = top;
  }
  const last = column.at(-1);
  const middle = last ? (last.top + last.height) / 2 : 0;
  for (const vertex of column) vertex.top -= middle;
}

type Block = { sum: number; weight: number; count: number };

/**
 * Moves each vertex of a column as near as may be to where its lines pull it, without changing the order: vertices
 * that would overlap go together to the mean of their wishes.
 */
function settle(column: readonly Vertex[], pulled: ReadonlyMap<Vertex, readonly Pull[]>): void {
  const blocks: Block[] = [];
  const below: number[] = []; // how far each vertex is below the first when they stand close
  let offset = 0;
  for (const [i, vertex] of column.entries()) {
    const above = column[i - 1];
    if (above) offset += above.height + room(above, vertex);
    below.push(offset);
    const { wish, weight } = wishOf(vertex, pulled.get(vertex) ?? []);
    let block: Block = { sum: (wish - offset) * weight, weight, count: 1 };
    for (
      let upper = blocks.at(-1);
      upper && upper.sum * block.weight > block.sum * upper.weight;
      upper = blocks.at(-1)
    ) {
      blocks.pop();
      block = {
        sum: upper.sum + block.sum,
        weight: upper.weight + block.weight,
        count: upper.count + block.count,
      };
    }
    blocks.push(block);
  }
  let i = 0;
  for (const { sum, weight, count } of blocks) {
    for (const end = i + count; i < end; i++) {
      const vertex = column[i];
      if (vertex) vertex.top = sum / weight + (below[i] ?? 0);
    }
  }
}

/** Without lines a vertex stays about where it is. */
function wishOf(vertex: Vertex, list: readonly Pull[]): { wish: number; weight: number } {
  const weight = list.reduce((sum, pull) => sum + pull.weight, 0);
  if (weight === 0) return { wish: vertex.top, weight: 0.01 };
  return { wish: list.reduce((sum, pull) => sum + pull.weight * pull.top(), 0) / weight, weight };
}
