import { describe, expect, it } from "vitest";
import {
  arrange,
  type Conversion,
  convert,
  defaultConversion,
  guessImage,
  preview,
  resizeArea,
  sidesOf,
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
    [[240, 320, 4], { width: 320, height: 240, channels: 4, layout: "HWC" }],
    [[-1, 4, 64, 32], { width: 32, height: 64, channels: 4, layout: "CHW" }],
    [[1, 8400, 4], undefined],
    [[-1, 4, -1, -1], undefined],
    [[-1, 80, -1], undefined],
    [[-1, -1, 4], undefined],
    [[16], undefined],
    [[-1, 2], undefined],
    [[-1, 1], undefined],
    [[-1, 63], undefined],
    [[-1, 12, 40, 40], undefined],
    [[], undefined],
  ])("%j", (shape, guess) => expect(guessImage(shape)).toEqual(guess));
});

it("takes open sides of four channels for a picture where the values are bytes", () => {
  expect(guessImage([-1, -1, 4], "UINT8")).toMatchObject({ width: 224, height: 224, channels: 4 });
  expect(guessImage([-1, -1, 4], "FP32")).toBeUndefined();
  expect([sidesOf([-1n, -1n, 4n]), sidesOf([4n, -1n, -1n]), sidesOf([-1n, 28n, 4n])]).toEqual([
    [0, 1],
    [1, 2],
    [1, 2],
  ]);
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

describe("four channels", () => {
  const conversion = defaultConversion({ width: 2, height: 1, channels: 4, layout: "HWC" }, "UINT8");
  const red = [200, 0, 0, 255];
  const clear = [0, 0, 0, 0];
  const got = (pixels: number[][], patch: Partial<Conversion> = {}) => {
    const picture = { width: pixels.length, height: 1, data: new Uint8Array(pixels.flat()) };
    return [...convert(picture, { ...conversion, ...patch }, "UINT8")];
  };
  it("keep alpha, in both layouts", () => {
    expect(got([red, [10, 20, 30, 128]])).toEqual([...red, 10, 20, 30, 128]);
    expect(got([red, [10, 20, 30, 128]], { layout: "CHW" })).toEqual([200, 10, 0, 20, 0, 30, 255, 128]);
  });
  it("have no colour of what cannot be seen at the edges", () =>
    expect(got([red, clear, clear, clear])).toEqual([200, 0, 0, 128, 0, 0, 0, 0]));
  it("have clear bars, and an alpha that is never inverted", () => {
    const tall = { height: 3, bars: 114 };
    const bar = [114, 114, 114, 0, 114, 114, 114, 0];
    expect(got([red, red], tall)).toEqual([...bar, ...red, ...red, ...bar]);
    expect(got([red, red], { ...tall, invert: true }).slice(4, 12)).toEqual([
      ...bar.slice(4),
      55,
      255,
      255,
      255,
    ]);
  });
  it("are looked at with their alpha", () => {
    const view = preview(new Uint8Array([...red, 10, 20, 30, 128]), conversion, "UINT8");
    expect([...view.data]).toEqual([...red, 10, 20, 30, 128]);
  });
});

describe("pictures of other proportions", () => {
  // Getters, as the picture of a canvas has them: no spread copies them.
  class Picture {
    get width() {
      return 4;
    }
    get height() {
      return 2;
    }
    data = new Uint8ClampedArray(Array.from({ length: 8 }, (_, i) => [i * 10, i * 10, i * 10, 255]).flat());
  }
  const square: Conversion = {
    ...defaultConversion({ width: 4, height: 4, channels: 1, layout: "HWC" }, "UINT8"),
    scale: 1,
  };
  const got = (patch: Partial<Conversion>) => {
    const values = decode("UINT8", convert(new Picture(), { ...square, ...patch }, "UINT8"));
    return Array.from({ length: values.length }, (_, i) => values.at(i));
  };
  const dark = [0, 0, 0, 0];
  it("are whole, with bars, unless something else is chosen", () => {
    expect(square.fit).toBe("letterbox");
    expect(got({})).toEqual([...dark, 0, 10, 20, 30, 40, 50, 60, 70, ...dark]);
  });
  it("have bars of the chosen brightness, also when the picture is inverted", () => {
    const grey = [114, 114, 114, 114];
    expect(got({ bars: 114 })).toEqual([...grey, 0, 10, 20, 30, 40, 50, 60, 70, ...grey]);
    expect(got({ bars: 114, invert: true }).slice(0, 6)).toEqual([...grey, 255, 245]);
  });
  it("are cut to fill", () => {
    const row = (a: number, b: number) => [a, a, b, b];
    expect(got({ fit: "fill" })).toEqual([...row(10, 20), ...row(10, 20), ...row(50, 60), ...row(50, 60)]);
  });
  it("are stretched", () => {
    expect(got({ fit: "stretch" })).toEqual(
      [0, 10, 20, 30, 0, 10, 20, 30, 40, 50, 60, 70].concat([40, 50, 60, 70]),
    );
  });
});

describe("what the model gets", () => {
  const shape = { width: 2, height: 1, channels: 3, layout: "CHW" } as const;
  const pixels = { width: 2, height: 1, data: new Uint8Array([10, 20, 30, 255, 200, 100, 50, 255]) };
  it("is read back from the bytes that are sent", () => {
    for (const datatype of ["FP32", "FP16", "UINT8"]) {
      const conversion = { ...defaultConversion(shape, datatype), mean: [0.1, 0.2, 0.3], std: [0.5, 0.6, 1] };
      const own = datatype === "UINT8" ? defaultConversion(shape, datatype) : conversion;
      const seen = preview(convert({ ...pixels }, own, datatype), own, datatype);
      expect(Array.from(seen.data)).toEqual(Array.from(pixels.data));
    }
  });
  it("shows an inverted picture inverted", () => {
    const inverted = { ...defaultConversion(shape, "UINT8"), invert: true };
    expect(preview(convert({ ...pixels }, inverted, "UINT8"), inverted, "UINT8").data[0]).toBe(245);
  });
});

it("refuses a conversion whose values the type cannot hold", () => {
  const shape = { width: 1, height: 1, channels: 1, layout: "HWC" } as const;
  const white = { width: 1, height: 1, data: new Uint8Array([255, 255, 255, 255]) };
  const conversion = { ...defaultConversion(shape, "FP16"), scale: 1000 };
  expect(() => convert(white, conversion, "FP16")).toThrow(
    "The conversion gives 2.55e+5: FP16 ends at 65504",
  );
});

describe("values", () => {
  const planes = [Float32Array.from([0, 255]), Float32Array.from([10, 20]), Float32Array.from([30, 40])];
  const rgb: Conversion = {
    width: 2,
    height: 1,
    fit: "letterbox",
    bars: 0,
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
