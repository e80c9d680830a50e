import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Span } from "../../lib/range";
import { requestsCard } from "./cards";
import type { Chart } from "./chart";

const width = 400;
const shown = { from: 1000, to: 1900 };
const zooms: Span[] = [];
let chart: Chart;

// The library draws on a canvas, which the page of a test does not have.
beforeAll(async () => {
  const nothing = () => nothing;
  const ctx = new Proxy({}, { get: () => Object.assign(nothing, { width: 10 }), set: () => true });
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(ctx as CanvasRenderingContext2D);
  const path = { moveTo: nothing, lineTo: nothing, rect: nothing, closePath: nothing, arc: nothing };
  vi.stubGlobal("Path2D", function made() {
    return path;
  });
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(width);
  const { createChart } = await import("./chart");
  chart = createChart(document.body, {
    lines: [{ label: "requests", color: "--p50" }],
    bands: [],
    left: requestsCard.left,
    sync: "test",
    onCursor: () => {},
    onZoom: (span) => zooms.push(span),
    onBack: () => {},
  });
  const time = Array.from({ length: 181 }, (_, at) => shown.from + at * 5);
  chart.update({ ...shown, time, columns: [time.map(() => 1)], marks: [] });
});
afterAll(() => chart.destroy());

const press = (key: string) =>
  chart.press({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false });

it("plus shows half of the time, within what is shown: nothing of the future, and nothing before it", () => {
  press("+");
  expect(zooms.pop()).toEqual({ from: 1225_000, to: 1675_000 });
  for (let i = 0; i < 3; i++) press("ArrowLeft");
  press("+");
  expect(zooms.pop()).toEqual({ from: 1450_000, to: 1900_000 });
  for (let i = 0; i < 200; i++) press("ArrowLeft");
  press("+");
  expect(zooms.pop()).toEqual({ from: 1000_000, to: 1450_000 });
});
