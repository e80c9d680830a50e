import { describe, expect, it } from "vitest";
import {
  arrange,
  type Conversion,
  convert,
  defaultConversion,
  guessImage,
  resizeArea,
  toPlanes,
} from "./image";
import { decode } from "./tensor";

describe("guessing", () => {
  it.each([
    [[-1, 28, 28], { width: 28, height: 28, channels: 1, layout: "HWC" }],
    [[-1, 64], { width: 8, height: 8, channels: 1, layout: "HWC" }],
    [[1, 784], { width: 28, height: 28, channels: 1, layout: "HWC" }],
    [[-1, 3, 224, 224], { width: 224, height: 224, channels: 3, layout: "CHW" }],
    [[-1, 480, 640, 3], { width: 640, height: 480, channels: 3, layout: "HWC" }],
    [[1, 1, 28, 28], { width: 28, height: 28, channels: 1, layout: "CHW" }],
    [[-1, 3, -1, -1], { width: 224, height: 224, channels: 3, layout: "CHW" }],
    [[32, 32], { width: 32, height: 32, channels: 1, layout: "HWC" }],
    [[16], undefined],
    [[-1, 2], undefined],
    [[-1, 1], undefined],
    [[-1, 63], undefined],
    [[-1, 12, 40, 40], undefined],
    [[], undefined],
  ])("%j", (shape, guess) => expect(guessImage(shape)).toEqual(guess));
});

describe("resizing", () => {
  const plane = Float32Array.from([0, 2, 4, 6]);
  it("averages by area", () =>
    expect(Array.from(resizeArea(plane, { width: 4, height: 1 }, { width: 2, height: 1 }))).toEqual([1, 5]));
  it("weighs pixels that are covered in part", () => {
    const out = resizeArea(Float32Array.from([0, 3, 6]), { width: 3, height: 1 }, { width: 2, height: 1 });
    expect(out[0]).toBeCloseTo(1);
    expect(out[1]).toBeCloseTo(5);
  });
  it("repeats when it enlarges", () => {
    expect(
      Array.from(resizeArea(Float32Array.from([1, 2]), { width: 2, height: 1 }, { width: 4, height: 1 })),
    ).toEqual([1, 1, 2, 2]);
  });
  it("keeps the mean of 28 × 28 at 8 × 8", () => {
    const source = Float32Array.from({ length: 784 }, (_, i) => i % 251);
    const average = (p: Float32Array) => p.reduce((n, v) => n + v, 0) / p.length;
    expect(average(resizeArea(source, { width: 28, height: 28 }, { width: 8, height: 8 }))).toBeCloseTo(
      average(source),
      2,
    );
  });
});

it("lays transparent pixels over white", () => {
  expect(toPlanes({ width: 1, height: 1, data: new Uint8Array([0, 0, 0, 0]) }, 1)[0]?.[0]).toBeCloseTo(255);
});

describe("values", () => {
  const planes = [Float32Array.from([0, 255]), Float32Array.from([10, 20]), Float32Array.from([30, 40])];
  const rgb: Conversion = {
    width: 2,
    height: 1,
    channels: 3,
    layout: "HWC",
    invert: false,
    scale: 1,
    mean: [0, 0, 0],
    std: [1, 1, 1],
  };
  it("interleaves or stacks channels", () => {
    expect(Array.from(arrange(planes, rgb, "FP32"))).toEqual([0, 10, 30, 255, 20, 40]);
    expect(Array.from(arrange(planes, { ...rgb, layout: "CHW" }, "FP32"))).toEqual([0, 255, 10, 20, 30, 40]);
  });
  it("scales, subtracts, divides, inverts", () => {
    const norm = { ...rgb, scale: 1 / 255, mean: [0.5, 0, 0], std: [0.5, 1, 1] };
    expect(arrange(planes, norm, "FP32")[0]).toBeCloseTo(-1);
    expect(arrange(planes, { ...norm, invert: true }, "FP32")[0]).toBeCloseTo(1);
  });
  it("clamps into integers", () => expect(arrange(planes, { ...rgb, scale: 2 }, "UINT8")[3]).toBe(255));
  it("ends as bytes in the digits' range", () => {
    const shape = guessImage([-1, 64]);
    if (!shape) throw new Error("no picture");
    const white = { width: 8, height: 8, data: new Uint8Array(256).fill(255) };
    const values = decode("FP32", convert(white, defaultConversion(shape, "FP32"), "FP32"));
    expect(values.length).toBe(64);
    expect(values.at(0)).toBeCloseTo(16);
  });
});
