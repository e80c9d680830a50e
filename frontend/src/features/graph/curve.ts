/** The drawn line of an edge. Pure functions. */
import type { Point } from "./layered";

const leastBend = 24; // a line that has to go back still leaves its port straight

/** A curve through all points: level at each of them, or upright in a drawing that runs down. */
export function curve(points: readonly Point[], down = false): string {
  const pieceOf = down ? fall : piece;
  return points.map((to, i) => (i === 0 ? `M${to.x} ${to.y}` : pieceOf(points[i - 1] ?? to, to))).join("");
}

function fall(from: Point, to: Point): string {
  if (from.x === to.x) return `L${to.x} ${to.y}`;
  const bend = (to.y - from.y) / 2;
  return `C${from.x} ${from.y + bend} ${to.x} ${to.y - bend} ${to.x} ${to.y}`;
}

function piece(from: Point, to: Point): string {
  if (from.y === to.y && from.x <= to.x) return `L${to.x} ${to.y}`;
  const bend = Math.max(Math.abs(to.x - from.x) / 2, leastBend);
  return `C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
}
