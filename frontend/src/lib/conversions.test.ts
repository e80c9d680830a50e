import { expect, it } from "vitest";
import { describeConversion, presetOf, presets } from "./conversions";
import { defaultConversion } from "./image";

const grey = defaultConversion({ width: 8, height: 8, channels: 1, layout: "HWC" }, "FP32");

it("knows its presets again", () => {
  for (const channels of [1, 3, 4] as const) {
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

it.each([
  ["letterbox", 640, 480, "Fits into 8 × 8, bars above and below"],
  ["letterbox", 480, 640, "Fits into 8 × 8, bars at the sides"],
  ["fill", 640, 480, "Fills 8 × 8, left and right cut off"],
  ["fill", 480, 640, "Fills 8 × 8, top and bottom cut off"],
  ["stretch", 640, 480, "Stretched to 8 × 8"],
  ["letterbox", 640, 640, "Scaled to 8 × 8, area"],
  ["letterbox", 8, 8, "Not scaled"],
] as const)("%s of %d × %d: %s", (fit, width, height, words) =>
  expect(describeConversion({ ...grey, fit }, { text: "", width, height })[1]).toBe(words),
);

it("says that a picture with too many pixels is scaled, and never that it is not", () => {
  const large = { text: "6000 × 3000", own: { width: 6000, height: 3000 }, width: 4096, height: 2048 };
  const asRead = describeConversion({ ...grey, width: 4096, height: 2048 }, large);
  expect(asRead[1]).toBe("Scaled to 4096 × 2048: a side has at most 4096 pixels here");
  expect(describeConversion(grey, large)[1]).toBe("Fits into 8 × 8, bars above and below");
});

it("says what becomes of transparent parts", () => {
  const rgba = defaultConversion({ width: 8, height: 8, channels: 4, layout: "HWC" }, "FP32");
  const cutout = { text: "", width: 8, height: 8, transparent: true };
  expect(describeConversion(grey, cutout)[3]).toBe("Transparent parts become white");
  expect(describeConversion(rgba, cutout).slice(2)).toEqual([
    "Values 0 … 16, height, width, channel, RGBA",
    "Transparency is kept, as alpha; colours of clear pixels are not",
  ]);
  expect(describeConversion(grey, { ...cutout, transparent: false })).toHaveLength(3);
});
