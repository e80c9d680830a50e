/** Events on a chart: those that are close together are one mark with their number, and are listed under the pointer. */
import "./locale";
import uPlot from "uplot";
import {
  badgeAt,
  badgeOf,
  badgeRadius,
  besideMark,
  dotRadius,
  groupMarks,
  type Mark,
  type MarkGroup,
  tipLines,
  weightiest,
} from "./markGroups";
import { axisFont, token } from "./scales";

const reach = 9; // pixels beside a mark that still count as on it
const tipGap = reach + 3; // the pointer that asks for a list does not lie under it
const edge = 8; // pixels between a list and the end of the page, and the top of the plot
const above = 7; // pixels from the plot up to a mark's middle

/** Draws the marks above the plot and shows the list of the one under the pointer. */
export function marksPlugin(marks: () => readonly Mark[]): uPlot.Plugin {
  const tip = document.createElement("div");
  tip.className = "chart-mark-tip";
  tip.hidden = true;
  let inside = false; // of charts with one crosshair only the one under the pointer has a list
  const groups = (plot: uPlot) =>
    groupMarks(marks(), (time) => plot.valToPos(time, "x"), plot.bbox.width / uPlot.pxRatio);
  return {
    hooks: {
      init: (plot) => {
        plot.over.append(tip);
        plot.over.addEventListener("mouseenter", () => (inside = true));
        plot.over.addEventListener("mouseleave", () => {
          inside = false;
          tip.hidden = true;
        });
      },
      draw: (plot) => drawMarks(plot, groups(plot)),
      setCursor: (plot) => inside && showTip(plot, tip, groups(plot)),
    },
  };
}

function drawMarks(plot: uPlot, groups: readonly MarkGroup[]): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const y = bbox.top - above * ratio;
  ctx.save();
  for (const group of groups) {
    const x = Math.round(bbox.left + group.x * ratio);
    ctx.strokeStyle = ctx.fillStyle = token(weightiest(group).color);
    drawLine(plot, x, y);
    if (group.marks.length > 1) drawBadge(plot, group, y);
    else {
      ctx.beginPath();
      ctx.arc(x, y, dotRadius * ratio, 0, 2 * Math.PI);
      ctx.fill();
    }
  }
  ctx.restore();
}

function drawLine({ ctx, bbox }: uPlot, x: number, y: number): void {
  const ratio = uPlot.pxRatio;
  ctx.globalAlpha = 0.5;
  ctx.lineWidth = ratio;
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.globalAlpha = 1;
}

/** A mark of several, with their number. */
function drawBadge({ ctx, bbox }: uPlot, { x: at, marks }: MarkGroup, y: number): void {
  const ratio = uPlot.pxRatio;
  const { text, half } = badgeOf(marks.length);
  const x = bbox.left + badgeAt(at, bbox.width / ratio, half) * ratio;
  const radius = badgeRadius * ratio;
  ctx.beginPath();
  ctx.roundRect(x - half * ratio, y - radius, 2 * half * ratio, 2 * radius, radius);
  ctx.fill();
  ctx.fillStyle = token("--on-accent");
  ctx.font = axisFont.replace(/^[\d.]+px/, `600 ${9 * ratio}px`);
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(text, x, y + 0.5 * ratio);
}

function showTip(plot: uPlot, tip: HTMLElement, groups: readonly MarkGroup[]): void {
  const left = plot.cursor.left ?? -1;
  const near = left < 0 ? undefined : groups.find(({ x }) => Math.abs(x - left) <= reach);
  tip.hidden = near === undefined;
  if (!near) return;
  tip.replaceChildren(...tipLines(near).map(lineElement));
  const [over, page] = [plot.over, plot.root.closest("main") ?? plot.over].map((e) =>
    e.getBoundingClientRect(),
  );
  if (!over || !page) return;
  const sides = { begin: page.left - over.left + edge, end: page.right - over.left - edge };
  const { from, room } = besideMark(near.x, sides, tipGap);
  tip.style.maxWidth = `${room}px`;
  tip.style.left = `${from === "left" ? near.x + tipGap : near.x - tipGap - Math.min(tip.offsetWidth, room)}px`;
  tip.style.top = `${Math.min(edge, page.bottom - over.top - edge - tip.offsetHeight)}px`;
}

function lineElement(text: string): HTMLElement {
  const line = document.createElement("div");
  line.textContent = text;
  return line;
}
