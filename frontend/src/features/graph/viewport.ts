/** Which part of the graph is in sight, and how large. Pure functions. */
import type { Point } from "./layered";
import type { Layout } from "./layout";
import { isWhole, leastLetters, nameSize, readableZoom, type Size } from "./sizes";

export type View = { readonly x: number; readonly y: number; readonly zoom: number };

const margin = 24;
const rounding = 1e-6; // pixels
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

/** The smallest zoom: a step is a mark of a few pixels then. A chain of 200 steps in one view would be no line at all. */
export const leastZoom = 0.05;

/** All of the graph, or as much of it from its beginning as can still be seen as steps. */
export const wholeView = (layout: Layout, room: Size): View =>
  viewFromBeginning(layout, room, Math.max(leastZoom, fittingZoom(layout, room)));

/** The graph as large as everything else in the window, from its beginning. */
export const naturalView = (layout: Layout, room: Size): View => viewFromBeginning(layout, room, largest);

/** All of it where names can be read then; else its beginning, at a size at which all can be read. */
export function openingView(layout: Layout, room: Size): View {
  const zoom = fittingZoom(layout, room);
  return viewFromBeginning(layout, room, namesRead(layout, zoom) ? zoom : readableZoom);
}

/** From here on a drawing can be read where all of it is in sight: the names of its steps have at least 11 px on the screen. */
export const wholeZoom = ({ down }: Layout): number => (down ? readableZoom : leastLetters / nameSize);

/** Whether the names can be read: they are large enough, and nothing of them is left out. */
function namesRead(layout: Layout, zoom: number): boolean {
  if (zoom >= wholeZoom(layout)) return true;
  const { nodes } = layout;
  const grows = growth(zoom);
  return grows > 1 && nodes.every(({ node, width }) => isWhole(node, width, grows, leastLetters / zoom));
}

/** In the middle in a direction in which it fits, at its beginning in the other. The small map takes its strip then. */
function viewFromBeginning(layout: Layout, room: Size, zoom: number): View {
  const { left, top, width, height } = boundsOf(layout);
  const fits = (length: number, place: number) => length * zoom + 2 * margin <= place + rounding;
  const all = fits(width, room.width) && fits(height, room.height);
  const drawing = all ? room.height : room.height - mapHeight;
  const x = fits(width, room.width) ? (room.width - width * zoom) / 2 : margin;
  const middle = fits(height, drawing) ? top + height / 2 : beginning(layout, left);
  return { x: x - left * zoom, y: drawing / 2 - middle * zoom, zoom };
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

/** The room without the strip of the small map, where that is shown. */
export const drawingOf = (layout: Layout, view: View, room: Size): Size =>
  showsAll(layout, view, room) ? room : { width: room.width, height: room.height - mapHeight };

/** Names grow no further; in a graph that is seen from farther, they get smaller. */
const mostGrowth = 4;

/** How much larger names are drawn in a graph that is seen from far, so that they can still be read; in steps. */
export function growth(zoom: number): number {
  if (zoom >= 0.75) return 1;
  return Math.min(mostGrowth, Math.ceil((readableZoom / zoom) * 5) / 5);
}

/** How much thicker lines are drawn in a graph that is seen from far, so that they are as thick as near on the screen; in steps. */
export const thickness = (zoom: number): number => Math.max(1, 2 ** (Math.round(-4 * Math.log2(zoom)) / 4));

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

/** Whether the middle of a place is in sight. */
export function isInSight({ x, y, width, height }: Point & Size, view: View, room: Size): boolean {
  const across = (x + width / 2) * view.zoom + view.x;
  const down = (y + height / 2) * view.zoom + view.y;
  return across >= 0 && across <= room.width && down >= 0 && down <= room.height;
}

/** The view, moved no further than needed to have all of a place in sight; the place's beginning where it has no room. */
export function nudged({ x, y, width, height }: Point & Size, view: View, room: Size): View {
  const across = away(x * view.zoom + view.x, width * view.zoom, room.width);
  const down = away(y * view.zoom + view.y, height * view.zoom, room.height);
  return across === 0 && down === 0 ? view : { x: view.x + across, y: view.y + down, zoom: view.zoom };
}

const edge = 8; // pixels between what was out of sight and the end of the drawing

/** How far a length that begins there has to move to be in sight. */
function away(begin: number, length: number, size: number): number {
  if (begin >= 0 && begin + length <= size) return 0;
  return Math.max(Math.min(size - edge - length, begin), edge) - begin;
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
