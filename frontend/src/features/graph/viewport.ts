/** Which part of the graph is in sight, and how large. Pure functions. */
import type { Point } from "./layered";
import type { Layout } from "./layout";
import { readableZoom, type Size } from "./sizes";

export type View = { readonly x: number; readonly y: number; readonly zoom: number };

const margin = 24;
const largest = 1; // names are not larger than elsewhere in the window

/** The height of the small map, which is under the drawing while a part of it is out of sight. */
export const mapHeight = 48;

type Bounds = Size & { readonly left: number; readonly top: number };

export function boundsOf({ nodes, width, height }: Layout): Bounds {
  const left = nodes.reduce((least, { position }) => Math.min(least, position.x), Number.POSITIVE_INFINITY);
  const top = nodes.reduce((least, { position }) => Math.min(least, position.y), Number.POSITIVE_INFINITY);
  return { left, top, width, height };
}

/** The zoom at which all of the graph is in sight. */
export const fittingZoom = (layout: Size, room: Size): number =>
  Math.min(largest, (room.width - 2 * margin) / layout.width, (room.height - 2 * margin) / layout.height);

/** All of the graph, however small its names become. */
export function wholeView(layout: Layout, room: Size): View {
  const { left, top, width, height } = boundsOf(layout);
  const zoom = fittingZoom(layout, room);
  return {
    x: room.width / 2 - (left + width / 2) * zoom,
    y: room.height / 2 - (top + height / 2) * zoom,
    zoom,
  };
}

/** All of it where names can be read then; else its beginning, at the smallest size that can be read. */
export function openingView(layout: Layout, room: Size): View {
  if (fittingZoom(layout, room) >= readableZoom) return wholeView(layout, room);
  const { left, top } = boundsOf(layout);
  const above = room.height - mapHeight;
  const wide = layout.width * readableZoom + 2 * margin > room.width;
  const high = layout.height * readableZoom + 2 * margin > above;
  const x = wide ? margin : (room.width - layout.width * readableZoom) / 2;
  const middle = high ? beginning(layout, left) : top + layout.height / 2;
  return { x: x - left * readableZoom, y: above / 2 - middle * readableZoom, zoom: readableZoom };
}

/** The mean height of the first column. */
function beginning({ nodes }: Layout, left: number): number {
  const first = nodes.filter(({ position }) => position.x < left + 120);
  return first.reduce((sum, { position, height }) => sum + position.y + height / 2, 0) / first.length;
}

/** Whether every node is in sight. */
export function showsAll(layout: Layout, { x, y, zoom }: View, room: Size): boolean {
  const { left, top, width, height } = boundsOf(layout);
  return (
    left * zoom + x >= -1 &&
    top * zoom + y >= -1 &&
    (left + width) * zoom + x <= room.width + 1 &&
    (top + height) * zoom + y <= room.height + 1
  );
}

/** How much larger names are drawn in a graph that is seen from far, so that they can still be read; in steps. */
export function growth(zoom: number): number {
  if (zoom >= 0.65) return 1;
  return Math.min(3, Math.round((0.85 / zoom) * 5) / 5);
}

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
