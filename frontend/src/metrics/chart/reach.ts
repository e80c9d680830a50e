/** How far the axes of a chart reach, by what is in view. */
import { lowerBound } from "../../lib/series";
import type { ChartData, ChartSpec, Line } from "./chart";
import { axisTop } from "./scales";

/** How far the left axis reaches. */
export function leftTop(data: ChartData, spec: Drawn): number {
  const left = data.top ?? largest(data, spec, "left");
  return axisTop(left, { ...data, base: spec.left.base?.(left) });
}

type Drawn = Pick<ChartSpec, "lines" | "bands" | "left">;

export const scaleOf = (line: Line | undefined) => (line?.right ? "right" : "left");

/** The line that a column belongs to: its own, or the one that it is an edge of the band of. */
const lineOf = ({ lines, bands }: Drawn, column: number): Line | undefined =>
  lines[column] ?? lines[bands[(column - lines.length) >> 1] ?? 0];

/** The largest value of a scale's columns that is in view. */
export function largest({ time, columns, from, to }: ChartData, spec: Drawn, scale: string): number {
  const begin = lowerBound(time, from);
  const end = lowerBound(time, to + 1e-3);
  let max = 0;
  for (const [at, column] of columns.entries()) {
    if (scaleOf(lineOf(spec, at)) !== scale) continue;
    for (let i = begin; i < end; i++) max = Math.max(max, column[i] ?? 0);
  }
  return max;
}
