/**
 * Layers of a moment without neighbours. No area goes through a single point, so it is a narrow bar from the ground, in
 * the colours of its layers: a point would stand at the height of the sum, and be read as the height of its layer.
 */
import uPlot from "uplot";
import type { Line } from "./chart";
import { lonely, token, translucent } from "./scales";

const width = 4; // pixels

export function loneBars(lines: readonly Line[]): uPlot.Plugin {
  return {
    hooks: {
      drawSeries: (plot, at) => {
        const line = lines[at - 1];
        if (line?.fill && plot.series[at]?.show) drawBars(plot, at, line);
      },
    },
  };
}

function drawBars(plot: uPlot, at: number, { color }: Line): void {
  const { ctx, bbox } = plot;
  const column = plot.data[at] as (number | null)[];
  const bar = width * uPlot.pxRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip(); // a few values may be far above the picture
  ctx.fillStyle = translucent(token(color), 0.85);
  for (const index of lonely(column)) {
    const x = plot.valToPos(plot.data[0][index] as number, "x", true);
    const y = plot.valToPos(column[index] as number, plot.series[at]?.scale ?? "left", true);
    ctx.fillRect(x - bar / 2, y, bar, bbox.top + bbox.height - y);
  }
  ctx.restore();
}
