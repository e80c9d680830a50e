/** The drawn line of an edge. Pure functions. */
import type { Point } from "./layered";

const leastBend = 24; // a line that has to go back still leaves its port straight

/** A curve through all points, level at each of them. */
export function curve(points: readonly Point[]): string {
  return points.map((to, i) => (i === 0 ? `M${to.x} ${to.y}` : piece(points[i - 1] ?? to, to))).join("");
}

function piece(from: Point, to: Point): string {
  if (from.y === to.y && from.x <= to.x) return `L${to.x} ${to.y}`;
  const bend = Math.max(Math.abs(to.x - from.x) / 2, leastBend);
  return `C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
}
