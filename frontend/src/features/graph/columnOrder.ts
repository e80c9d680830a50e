/** The order from top to bottom in each column, such that few lines cross. */
import type { Link, Vertex } from "./layered";

const sweeps = 16;
const enough = 4; // sweeps without a better order

type Links = { readonly toLeft: Map<Vertex, Link[]>; readonly toRight: Map<Vertex, Link[]> };

export function orderColumns(columns: Vertex[][], links: readonly Link[]): void {
  const joined = byVertex(links);
  const gaps = byGap(links);
  for (const column of columns) column.sort((a, b) => startOf(a, joined) - startOf(b, joined));
  number(columns);
  let best = crossings(gaps);
  let kept = columns.map((column) => [...column]);
  for (let sweep = 0, without = 0; sweep < sweeps && without < enough && best > 0; sweep++) {
    pull(columns, joined, sweep % 2 === 0);
    const now = crossings(gaps);
    without = now < best ? 0 : without + 1;
    if (now >= best) continue;
    best = now;
    kept = columns.map((column) => [...column]);
  }
  for (const [i, column] of kept.entries()) columns[i] = column;
  number(columns);
}

/** Boxes begin in the order in which they stood before, lines where their box does. */
function startOf(vertex: Vertex, { toLeft }: Links): number {
  for (let at: Vertex | undefined = vertex, i = 0; at && i < 1000; at = toLeft.get(at)?.[0]?.left, i++)
    if (at.before !== undefined) return at.before;
  return Number.MAX_SAFE_INTEGER;
}

function byVertex(links: readonly Link[]): Links {
  const toLeft = new Map<Vertex, Link[]>();
  const toRight = new Map<Vertex, Link[]>();
  for (const link of links) {
    append(toRight, link.left, link);
    append(toLeft, link.right, link);
  }
  return { toLeft, toRight };
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function byGap(links: readonly Link[]): Link[][] {
  const gaps = new Map<number, Link[]>();
  for (const link of links) append(gaps, link.left.column, link);
  return [...gaps.values()];
}

function number(columns: readonly Vertex[][]): void {
  for (const column of columns) for (const [index, vertex] of column.entries()) vertex.index = index;
}

/** A port's place among all ports of its column. */
const leftEnd = ({ left, from }: Link) => left.index + from / (left.height + 1);
const rightEnd = ({ right, to }: Link) => right.index + to / (right.height + 1);

/** Each vertex goes to the mean place of those that it is joined with in the column before. */
function pull(columns: readonly Vertex[][], { toLeft, toRight }: Links, rightwards: boolean): void {
  const inTurn = rightwards ? columns : [...columns].reverse();
  for (const column of inTurn) {
    const wish = new Map<Vertex, number>();
    for (const vertex of column) {
      const ends = rightwards ? toLeft.get(vertex)?.map(leftEnd) : toRight.get(vertex)?.map(rightEnd);
      wish.set(vertex, ends ? ends.reduce((sum, at) => sum + at, 0) / ends.length : vertex.index);
    }
    column.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
    for (const [index, vertex] of column.entries()) vertex.index = index;
  }
}

function crossings(gaps: readonly Link[][]): number {
  return gaps.reduce((sum, links) => sum + crossingsOf(links), 0);
}

/** Pairs of lines whose ends are in another order at the right than at the left. */
function crossingsOf(links: readonly Link[]): number {
  const sorted = [...links].sort((a, b) => leftEnd(a) - leftEnd(b) || rightEnd(a) - rightEnd(b));
  const ends = [...new Set(sorted.map(rightEnd))].sort((a, b) => a - b);
  const place = new Map(ends.map((end, i) => [end, i + 1]));
  const tree = new Int32Array(ends.length + 1); // sums of counts, as a Fenwick tree
  let count = 0;
  for (const [seen, link] of sorted.entries()) {
    const at = place.get(rightEnd(link)) ?? 1;
    let notAbove = 0;
    for (let i = at; i > 0; i -= i & -i) notAbove += tree[i] ?? 0;
    count += seen - notAbove;
    for (let i = at; i <= ends.length; i += i & -i) tree[i] = (tree[i] ?? 0) + 1;
  }
  return count;
}
