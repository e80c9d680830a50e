/**
 * Lays a graph out in columns from left to right, in time that grows with its size and no faster: ranks, order in
 * the columns, then heights. A tensor is one line that branches: the edges of one port share their way.
 * Knows boxes and lines only, so that it can run in a worker. Pure functions.
 */
import { orderColumns } from "./columnOrder";
import { ranksOf } from "./ranks";
import { settleHeights } from "./settleHeights";

export type Point = { readonly x: number; readonly y: number };

export type Box = {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** Where in its column a box that is narrower stands. */
  readonly align: "start" | "end";
  /** Where it stood before, on the scale of the layout before; undefined for a new one. */
  readonly before: number | undefined;
};

export type Line = {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly from: number; // the height of its port below the top of the source
  readonly to: number;
  readonly tensor: string; // lines of one tensor share their way
  readonly label: { readonly width: number; readonly height: number } | undefined;
};

/** The way of a line from port to port, and the place of its label if the line shows it. */
export type Way = { readonly id: string; readonly points: readonly Point[]; readonly label?: Point };

export type Places = {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly (Point & { readonly id: string })[];
  readonly ways: readonly Way[];
};

/** A box, a label, or the place where a line passes a column. */
export type Vertex = {
  readonly width: number;
  readonly height: number;
  readonly column: number;
  readonly align: Box["align"] | "middle";
  readonly before: number | undefined;
  readonly passes: boolean; // a line passes here
  index: number; // its place in its column
  top: number;
};

/** Joins vertices of neighbouring columns. */
export type Link = {
  readonly left: Vertex;
  readonly right: Vertex;
  readonly from: number;
  readonly to: number;
};

const usual = 34; // from a column of boxes to the labels beside it
const mostPassing = 20_000; // lines that would pass more columns than this, all together, go straight

type Drawing = {
  readonly columns: Vertex[][];
  readonly links: Link[];
  readonly chains: Map<string, Vertex[]>;
};

export function layered(boxes: readonly Box[], lines: readonly Line[], between = usual): Places {
  const ranks = ranksOf(
    boxes.map(({ id }) => id),
    lines,
  );
  const vertices = new Map(boxes.map((box) => [box.id, boxVertex(box, 2 * (ranks.get(box.id) ?? 0))]));
  const drawing = draw(vertices, lines);
  orderColumns(drawing.columns, drawing.links);
  settleHeights(drawing.columns, drawing.links);
  return placed(vertices, lines, drawing, between);
}

const boxVertex = ({ width, height, align, before }: Box, column: number): Vertex => ({
  width,
  height,
  column,
  align,
  before,
  passes: false,
  index: 0,
  top: 0,
});

const passing = (column: number, label?: Line["label"]): Vertex => ({
  width: label?.width ?? 0,
  height: label?.height ?? 2,
  column,
  align: "middle",
  before: undefined,
  passes: true,
  index: 0,
  top: 0,
});

/** Lines that run from left to right, by tensor. */
function forward(vertices: ReadonlyMap<string, Vertex>, lines: readonly Line[]): Map<string, Line[]> {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    const [left, right] = [vertices.get(line.source), vertices.get(line.target)];
    if (!left || !right || left.column >= right.column) continue;
    const group = groups.get(line.tensor);
    if (group) group.push(line);
    else groups.set(line.tensor, [line]);
  }
  return groups;
}

function draw(vertices: ReadonlyMap<string, Vertex>, lines: readonly Line[]): Drawing {
  const columns: Vertex[][] = [];
  const links: Link[] = [];
  const chains = new Map<string, Vertex[]>();
  const stand = (vertex: Vertex) => {
    const { column } = vertex;
    while (columns.length <= column) columns.push([]);
    columns[column]?.push(vertex);
  };
  for (const vertex of vertices.values()) stand(vertex);
  const groups = forward(vertices, lines);
  const reach = reachOf(vertices, groups);
  for (const [tensor, group] of groups) {
    const chain = chainOf(vertices, group, reach);
    for (const vertex of chain) stand(vertex);
    chains.set(tensor, chain);
    links.push(...linksOf(vertices, group, chain));
  }
  return { columns, links, chains };
}

/** How many columns a line may pass, such that all together stay within bounds. */
function reachOf(vertices: ReadonlyMap<string, Vertex>, groups: ReadonlyMap<string, Line[]>): number {
  const spans = [...groups.values()].map((group) => spanOf(vertices, group));
  let reach = Math.max(0, ...spans);
  const passed = () => spans.reduce((sum, span) => sum + (span <= reach ? span : 1), 0);
  while (reach > 8 && passed() > mostPassing) reach = Math.floor(reach / 2);
  return reach;
}

function spanOf(vertices: ReadonlyMap<string, Vertex>, group: readonly Line[]): number {
  const column = (id: string) => vertices.get(id)?.column ?? 0;
  return group.reduce((most, { source, target }) => Math.max(most, column(target) - column(source) - 1), 0);
}

/** What a tensor's line passes: its label first. */
function chainOf(vertices: ReadonlyMap<string, Vertex>, group: readonly Line[], reach: number): Vertex[] {
  const span = spanOf(vertices, group);
  const start = vertices.get(group[0]?.source ?? "")?.column ?? 0;
  const label = group.find((line) => line.label)?.label;
  const length = span <= reach ? span : 1;
  return Array.from({ length }, (_, i) => passing(start + 1 + i, i === 0 ? label : undefined));
}

function linksOf(vertices: ReadonlyMap<string, Vertex>, group: readonly Line[], chain: Vertex[]): Link[] {
  const first = group[0];
  const [source, head] = [vertices.get(first?.source ?? ""), chain[0]];
  if (!first || !source || !head) return [];
  const links: Link[] = [{ left: source, right: head, from: first.from, to: head.height / 2 }];
  for (const [i, vertex] of chain.entries()) {
    const next = chain[i + 1];
    if (next) links.push({ left: vertex, right: next, from: vertex.height / 2, to: next.height / 2 });
  }
  for (const line of group) {
    const target = vertices.get(line.target);
    const last = target && chain[target.column - source.column - 2];
    if (target && last) links.push({ left: last, right: target, from: last.height / 2, to: line.to });
  }
  return links;
}

type Span = { readonly left: number; readonly width: number };

/** Where the columns begin, and how wide they are. */
function spansOf(columns: readonly Vertex[][], between: number): Span[] {
  let x = 0;
  return columns.map((column, i) => {
    const width = column.reduce((most, vertex) => Math.max(most, vertex.width), 0);
    const left = x;
    x += width + (i % 2 === 1 && width === 0 ? 0 : between);
    return { left, width };
  });
}

function placed(
  vertices: ReadonlyMap<string, Vertex>,
  lines: readonly Line[],
  { columns, chains }: Drawing,
  between: number,
): Places {
  const spans = spansOf(columns, between);
  const all = columns.flat();
  const up = all.reduce((least, { top }) => Math.min(least, top), Number.POSITIVE_INFINITY);
  const leftOf = ({ column, width, align }: Vertex) => {
    const span = spans[column] ?? { left: 0, width };
    return span.left + (span.width - width) * { start: 0, middle: 0.5, end: 1 }[align];
  };
  const boxes = [...vertices].map(([id, box]) => ({ id, x: leftOf(box), y: box.top - up }));
  const last = spans.at(-1);
  const shown = new Set<string>();
  const ways = lines.flatMap((line) => {
    const [source, target] = [vertices.get(line.source), vertices.get(line.target)];
    if (!source || !target) return [];
    const start = { x: leftOf(source) + source.width, y: source.top - up + line.from };
    const end = { x: leftOf(target), y: target.top - up + line.to };
    const chain = source.column < target.column ? (chains.get(line.tensor) ?? []) : [];
    const passed = chain.slice(0, Math.max(0, target.column - source.column - 1));
    const label = line.label && !shown.has(line.tensor) ? labelPoint(passed[0], spans, up) : undefined;
    if (label) shown.add(line.tensor);
    return [{ id: line.id, points: [start, ...bends(passed, spans, up), end], label }];
  });
  return {
    width: last ? last.left + last.width : 0,
    height: all.reduce((most, { top, height }) => Math.max(most, top + height - up), 0),
    boxes,
    ways,
  };
}

function labelPoint(vertex: Vertex | undefined, spans: readonly Span[], up: number): Point | undefined {
  const span = vertex && spans[vertex.column];
  return vertex && span && { x: span.left + span.width / 2, y: vertex.top - up + vertex.height / 2 };
}

/** A line is level where it passes a label or a column of boxes. */
function bends(passed: readonly Vertex[], spans: readonly Span[], up: number): Point[] {
  return passed.flatMap((vertex, i) => {
    const span = spans[vertex.column];
    if (!span || (vertex.column % 2 === 1 && (i > 0 || vertex.width === 0))) return [];
    const y = vertex.top - up + vertex.height / 2;
    return [
      { x: span.left, y },
      { x: span.left + span.width, y },
    ];
  });
}
