/** Events on a chart: a dashed line and a dot above it, with the event's words under the pointer. */
import "./locale";
import uPlot from "uplot";
import { token } from "./scales";

export type Mark = { readonly time: number; readonly color: string; readonly text: string };

const reach = 5; // pixels beside a mark that still count as on it

/** Draws the marks over the lines and shows a tip beside the one under the pointer. */
export function marksPlugin(marks: () => readonly Mark[]): uPlot.Plugin {
  const tip = document.createElement("div");
  tip.className = "chart-mark-tip";
  tip.hidden = true;
  return {
    hooks: {
      init: (plot) => plot.over.append(tip),
      draw: (plot) => drawMarks(plot, marks()),
      setCursor: (plot) => showTip(plot, tip, marks()),
    },
  };
}

function drawMarks(plot: uPlot, marks: readonly Mark[]): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  ctx.save();
  for (const mark of marks) {
    const x = Math.round(plot.valToPos(mark.time, "x", true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = ctx.fillStyle = token(mark.color);
    ctx.lineWidth = ratio;
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top - 4 * ratio);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.arc(x, bbox.top - 4 * ratio, 3 * ratio, 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.restore();
}

function showTip(plot: uPlot, tip: HTMLElement, marks: readonly Mark[]): void {
  const left = plot.cursor.left ?? -1;
  const near =
    left < 0 ? [] : marks.filter((mark) => Math.abs(plot.valToPos(mark.time, "x") - left) <= reach);
  tip.hidden = near.length === 0;
  if (tip.hidden) return;
  tip.textContent = near
    .slice(-3)
    .map((mark) => mark.text)
    .join("\n");
  const right = left > plot.over.clientWidth / 2;
  tip.style.left = right ? "" : `${left + 10}px`;
  tip.style.right = right ? `${plot.over.clientWidth - left + 10}px` : "";
}
