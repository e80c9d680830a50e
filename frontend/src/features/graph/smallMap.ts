/** The small map of a graph: its nodes in a strip, each direction with a scale of its own. Pure functions. */
import type { Point } from "./layered";
import type { Layout, Placed } from "./layout";
import type { Size } from "./sizes";
import { boundsOf, type View } from "./viewport";

const padding = 6;
const largestScale = 0.15;
const least = 2; // pixels of the smallest node

export type Scale = { readonly x: number; readonly y: number; readonly left: number; readonly top: number };

/** The scale at which the graph fills a strip. A long chain is a row of dots there, never an invisible line. */
export function scaleOf(layout: Layout, strip: Size): Scale {
  const { left, top, width, height } = boundsOf(layout);
  const x = Math.min(largestScale, (strip.width - 2 * padding) / width);
  const y = Math.min(largestScale, (strip.height - 2 * padding) / height);
  return {
    x,
    y,
    left: left - (strip.width - width * x) / 2 / x,
    top: top - (strip.height - height * y) / 2 / y,
  };
}

type Rect = Point & Size;

function rectOf({ position, width, height }: Placed, scale: Scale): Rect {
  return {
    x: (position.x - scale.left) * scale.x,
    y: (position.y - scale.top) * scale.y,
    width: Math.max(least, width * scale.x),
    height: Math.max(least, height * scale.y),
  };
}

/** All nodes as one drawn path. */
export const pathOf = (nodes: readonly Placed[], scale: Scale): string =>
  nodes
    .map((node) => rectOf(node, scale))
    .map(
      ({ x, y, width, height }) =>
        `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h-${round(width)}z`,
    )
    .join("");

const round = (value: number) => Math.round(value * 10) / 10;

/** The part of the strip that is in sight. */
export function sightOf({ x, y, zoom }: View, room: Size, scale: Scale, strip: Size): Rect {
  const [left, width] = within(
    (-x / zoom - scale.left) * scale.x,
    (room.width / zoom) * scale.x,
    strip.width,
  );
  const [top, height] = within(
    (-y / zoom - scale.top) * scale.y,
    (room.height / zoom) * scale.y,
    strip.height,
  );
  return { x: left, y: top, width, height };
}

/** The part of a length that lies between 1 and an end; at least a few pixels. */
function within(from: number, length: number, end: number): [number, number] {
  const first = Math.min(Math.max(1, from), end - 5);
  return [first, Math.max(4, Math.min(from + length, end - 1) - first)];
}

/** The view whose middle is at a place of the strip. */
export function viewAt(at: Point, { zoom }: View, room: Size, scale: Scale): View {
  return {
    x: room.width / 2 - (at.x / scale.x + scale.left) * zoom,
    y: room.height / 2 - (at.y / scale.y + scale.top) * zoom,
    zoom,
  };
}
