/** The drawn line of an edge. Pure functions. */
import type { Point } from "./layered";

const leastBend = 24; // a line that has to go back still leaves its port straight

const corner = 10;

/** Straight pieces with round corners. */
export function angular(points: readonly Point[]): string {
  return points
    .map((at, i) => {
      const [before, after] = [points[i - 1], points[i + 1]];
      if (!before) return `M${at.x} ${at.y}`;
      if (!after) return `L${at.x} ${at.y}`;
      const [from, to] = [towards(at, before), towards(at, after)];
      return `L${from.x} ${from.y}Q${at.x} ${at.y} ${to.x} ${to.y}`;
    })
    .join("");
}

/** The point on the way to another one where a corner begins. */
function towards(at: Point, other: Point): Point {
  const away = Math.hypot(other.x - at.x, other.y - at.y);
  const part = away === 0 ? 0 : Math.min(corner, away / 2) / away;
  return { x: at.x + (other.x - at.x) * part, y: at.y + (other.y - at.y) * part };
}

/** A curve through all points, level at each of them. */
export function curve(points: readonly Point[]): string {
  return points.map((to, i) => (i === 0 ? `M${to.x} ${to.y}` : piece(points[i - 1] ?? to, to))).join("");
}

function piece(from: Point, to: Point): string {
  if (from.y === to.y && from.x <= to.x) return `L${to.x} ${to.y}`;
  const bend = Math.max(Math.abs(to.x - from.x) / 2, leastBend);
  return `C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
}
