import { expect, it } from "vitest";
import { describeConversion, presetOf, presets } from "./conversions";
import { defaultConversion } from "./image";

const grey = defaultConversion({ width: 8, height: 8, channels: 1, layout: "HWC" }, "FP32");

it("knows its presets again", () => {
  for (const channels of [1, 3] as const) {
    for (const preset of presets(channels))
      expect(presetOf({ ...grey, channels, ...preset.values })?.id).toBe(preset.id);
  }
  expect(presetOf({ ...grey, scale: 0.3 })).toBeUndefined();
});

it("describes itself", () => {
  expect(describeConversion(grey, { text: "Drawn 28 × 28, grey", width: 28, height: 28 })).toEqual([
    "Drawn 28 × 28, grey",
    "Scaled to 8 × 8, area",
    "Values 0 … 16, row major",
  ]);
});
