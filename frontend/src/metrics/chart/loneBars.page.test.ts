import type uPlot from "uplot";
import { beforeAll, expect, it, vi } from "vitest";
import { stagesCard } from "./cards";

// The library asks the screen for its pixels as it is loaded.
beforeAll(() => {
  vi.stubGlobal("matchMedia", () => ({ addEventListener: () => {}, removeEventListener: () => {} }));
});

it("layers of a moment without neighbours are one bar from the ground, and those with neighbours none", async () => {
  const { loneBars } = await import("./loneBars");
  const rects: number[][] = [];
  const ctx = { save() {}, restore() {}, beginPath() {}, rect() {}, clip() {} };
  const fillRect = (...rect: number[]) => rects.push(rect);
  const plot = {
    ctx: { ...ctx, fillRect },
    bbox: { left: 0, top: 0, width: 100, height: 100 },
    data: [
      [10, 20, 30, 40, 50],
      [80, null, 30, 40, null],
      [20, null, 10, 10, null],
    ],
    series: [{}, { scale: "left", show: true }, { scale: "left", show: true }],
    valToPos: (value: number, scale: string) => (scale === "x" ? value : 100 - value),
  };
  const draw = loneBars(stagesCard.lines).hooks.drawSeries as (plot: uPlot, at: number) => void;
  for (const at of [1, 2]) draw(plot as unknown as uPlot, at);
  const width = rects[0]?.[2] as number;
  expect(rects).toEqual([
    [10 - width / 2, 20, width, 80],
    [10 - width / 2, 80, width, 20],
  ]);
});
