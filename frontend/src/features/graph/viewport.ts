/** Which part of the graph is in sight, and how large. Pure functions. */
import type { Point } from "./layered";
import type { Layout } from "./layout";
import { readableZoom, type Size } from "./sizes";

export type View = { readonly x: number; readonly y: number; readonly zoom: number };

const margin = 24;
const largest = 1; // names are not larger than elsewhere in the window

/** All of it where names can be read then; else its beginning, at the smallest size that can be read. */
export function openingView(layout: Layout, room: Size): View {
  const left = Math.min(...layout.nodes.map(({ position }) => position.x));
  const top = Math.min(...layout.nodes.map(({ position }) => position.y));
  const fits = Math.min((room.width - 2 * margin) / layout.width, (room.height - 2 * margin) / layout.height);
  const zoom = Math.min(largest, Math.max(fits, readableZoom));
  const wide = layout.width * zoom + 2 * margin > room.width;
  const high = layout.height * zoom + 2 * margin > room.height;
  const x = wide ? margin - left * zoom : (room.width - layout.width * zoom) / 2 - left * zoom;
  const middle = high ? beginning(layout, left) : top + layout.height / 2;
  return { x, y: room.height / 2 - middle * zoom, zoom };
}

/** The mean height of the first column. */
function beginning({ nodes }: Layout, left: number): number {
  const first = nodes.filter(({ position }) => position.x < left + 120);
  return first.reduce((sum, { position, height }) => sum + position.y + height / 2, 0) / first.length;
}

export const isWhole = (layout: Size, room: Size): boolean =>
  layout.width * readableZoom + 2 * margin <= room.width &&
  layout.height * readableZoom + 2 * margin <= room.height;

/** The view that shows a place: this one where it shows it already, else one with the place in the middle. */
export function viewOn(place: Point & Size, view: View, room: Size): View {
  const zoom = Math.max(view.zoom, readableZoom);
  const left = place.x * view.zoom + view.x;
  const top = place.y * view.zoom + view.y;
  const inside =
    zoom === view.zoom &&
    left >= 0 &&
    top >= 0 &&
    left + place.width * zoom <= room.width &&
    top + place.height * zoom <= room.height;
  if (inside) return view;
  return {
    x: room.width / 2 - (place.x + place.width / 2) * zoom,
    y: room.height / 2 - (place.y + place.height / 2) * zoom,
    zoom,
  };
}

/** Where a node or edge is: of an edge its label, else its middle. */
export function placeOf({ nodes, edges }: Layout, id: string): (Point & Size) | undefined {
  const node = nodes.find((placed) => placed.node.id === id);
  if (node) return { ...node.position, width: node.width, height: node.height };
  const routed = edges.find(({ edge }) => edge.id === id);
  const [start, end] = [routed?.points[0], routed?.points.at(-1)];
  if (!routed || !start || !end) return undefined;
  const { x, y } = routed.label ?? { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
  return { x: x - 60, y: y - 20, width: 120, height: 40 };
}
