import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import type { ImageShape } from "../../lib/image";
import { decode, encode } from "../../lib/tensor";
import { ImageView } from "./ImageView";
import { toRgba } from "./paint";
import { show } from "./source";

const [nan, inf] = [Number.NaN, Number.POSITIVE_INFINITY];
const range = { min: 0, max: 1, mean: 0.5, zeros: 1 };
const row = (width: number, channels: ImageShape["channels"]): ImageShape => ({
  width,
  height: 1,
  channels,
  layout: "HWC",
});
const floats = { datatype: "FP32", range };
const fp32 = (values: number[]) => decode("FP32", encode("FP32", values));

test("what is not finite has a colour of its own among greys", () => {
  const bytes = toRgba({ ...floats, values: fp32([0, 1, nan, inf, -inf]), shape: row(5, 1) });
  const pixels = [0, 1, 2, 3, 4].map((i) => [...bytes.subarray(i * 4, i * 4 + 3)]);
  const grey = ([r, g, b]: number[]) => r === g && g === b;
  expect(pixels.map(grey)).toEqual([true, true, false, false, false]);
  expect(new Set(pixels.map(String)).size).toBe(5);
});

test("what is not finite is hatched among colours", () => {
  const bytes = toRgba({ ...floats, values: fp32([0, 1, 0, 0, nan, 0]), shape: row(2, 3) }, 8);
  const colours = (left: number) =>
    new Set(Array.from({ length: 8 }, (_, x) => String(bytes.subarray((left + x) * 4, (left + x) * 4 + 3))));
  expect([...colours(0)]).toEqual(["0,255,0"]);
  expect(colours(8).size).toBe(2);
});

test("a fourth channel is how much of the others is seen", () => {
  const values = decode("UINT8", encode("UINT8", [255, 0, 0, 128, 0, 0, 255, 0]));
  const bytes = toRgba({ values, datatype: "UINT8", shape: row(2, 4), range: { ...range, max: 255 } });
  expect([...bytes]).toEqual([255, 0, 0, 128, 0, 0, 255, 0]);
});

test("of numbers from 0 to 1 or 255 a fourth channel is alpha too; of others all is seen", () => {
  const alphas = (values: number[], min: number, max: number) => {
    const bytes = toRgba({
      ...floats,
      values: fp32(values),
      shape: row(2, 4),
      range: { ...range, min, max },
    });
    return [bytes[3], bytes[7]];
  };
  expect(alphas([1, 0, 0, 0.5, 0, 0, 1, 0], 0, 1)).toEqual([128, 0]);
  expect(alphas([255, 0, 0, 102, 0, 0, 255, 0], 0, 255)).toEqual([102, 0]);
  expect(alphas([1, 0, 0, -3, 0, 0, 4, 0], -3, 4)).toEqual([255, 255]);
});

async function textOf(values: number[]): Promise<string> {
  const raw = encode("FP32", values);
  const shown = show({ name: "Y", datatype: "FP32", shape: [1n, BigInt(values.length)], labels: [], raw });
  const page = document.createElement("div");
  const root = createRoot(page);
  await act(async () => root.render(<ImageView shown={shown} picture={row(values.length, 1)} item={0} />));
  const text = page.textContent ?? "";
  await act(async () => root.unmount());
  return text;
}

test("the line below the picture says what is not finite, with its colour", async () => {
  expect(await textOf([0, 1, nan, inf])).toContain("1 NaN, 1 Infinity of 4 valuesNaNInfinity");
  expect(await textOf([nan, nan])).toBe("No finite value to show as a picture: 2 NaN of 2 values.");
  expect(await textOf([0, 1])).not.toContain("NaN");
});
