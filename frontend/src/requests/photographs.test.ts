import { describe, expect, it } from "vitest";
import type { Conversion } from "../lib/image";
import { buildInput, planOf } from "./building";
import { draftFromInput } from "./earlier";
import { fittedTo } from "./fileParts";
import { picturesPerRow } from "./parts";
import {
  conversionOf,
  fitDraft,
  type InputDraft,
  newDraft,
  type Slot,
  type TensorFile,
  withDimension,
  withSize,
} from "./tryDrafts";

function slot(datatype: string, dims: number[]): Slot {
  const batch = dims.length === 4 ? 1 : undefined;
  return { spec: { name: "x", datatype, shape: dims.map(BigInt) }, place: 0, batch };
}

const draftOf = (s: Slot, patch: Partial<InputDraft>) => fitDraft(s, { ...newDraft(s), ...patch });

describe("photographs", () => {
  const photo = (width: number, height: number) =>
    ({
      name: "p.jpg",
      size: 0,
      kind: "picture",
      picture: { own: { width, height }, read: { width, height } },
    }) as TensorFile;
  const open = slot("UINT8", [-1, -1, 3]);
  const planes = slot("UINT8", [3, -1, -1]);
  const chosen = (s: Slot, draft: Partial<InputDraft>, ...files: TensorFile[]): InputDraft => {
    const now = draftOf(s, draft);
    return fitDraft(s, { ...now, source: "file", files, ...fittedTo(s, now, files) });
  };
  const [large, small] = [photo(900, 640), photo(30, 40)];

  it("give their size to a model that takes bytes of any size", () => {
    const first = chosen(open, {}, large);
    expect(first.shape).toEqual([640, 900, 3]);
    expect(chosen(open, first, small).shape).toEqual([40, 30, 3]);
    expect(chosen(planes, {}, large).shape).toEqual([3, 640, 900]);
    expect(chosen(slot("UINT8", [-1, 3, -1, -1]), {}, large).shape).toEqual([1, 3, 640, 900]);
  });
  it("leave sides that a person has chosen, and the sizes of models that take other numbers", () => {
    const typed = chosen(open, { sides: "typed", shape: [320, 320, 3] }, large);
    expect(typed.shape).toEqual([320, 320, 3]);
    expect(chosen(open, chosen(open, typed), small).shape).toEqual([320, 320, 3]);
    expect(chosen(open, { sides: "typed" }, large).shape).toEqual([224, 224, 3]);
    expect(chosen(slot("FP32", [-1, 3, -1, -1]), {}, large).shape).toEqual([1, 3, 224, 224]);
    expect(chosen(slot("UINT8", [-1, 1, 28, 28]), {}, large).shape).toEqual([1, 1, 28, 28]);
  });
  it("take their sides with them: when they are removed, and when others come", () => {
    const first = chosen(planes, {}, large);
    expect(chosen(planes, first)).toMatchObject({ shape: [3, 224, 224], sides: undefined });
    expect(chosen(planes, chosen(planes, first), small).shape).toEqual([3, 40, 30]);
    expect(chosen(planes, first, large, small).shape).toEqual([3, 640, 900]);
    expect(chosen(planes, first, small, small).shape).toEqual([3, 224, 224]);
  });
  it.each([
    ["four channels of floats", "FP32", [-1, 4, -1, -1], [1, 4, 1, 1], [1, 4, 224, 224]],
    ["four channels at the end", "FP32", [-1, -1, -1, 4], [1, 1, 1, 4], [1, 224, 224, 4]],
    ["large integers", "INT32", [-1, 3, -1, -1], [1, 3, 1, 1], [1, 3, 224, 224]],
  ])("give usual sides to a model that begins without: %s", (_, type, dims, bare, full) => {
    const s = slot(type, dims);
    expect(newDraft(s).shape).toEqual(bare);
    const first = chosen(s, {}, large);
    expect(first.shape).toEqual(full);
    expect(conversionOf(s, first)).toMatchObject({ width: 224, height: 224, channels: Math.max(3, ...dims) });
    expect(picturesPerRow(s, first)).toBe(1);
    expect(chosen(s, {}, large, small).shape.slice(1)).toEqual(full.slice(1));
    expect(chosen(s, first)).toMatchObject({ shape: bare, sides: undefined });
    const array = { name: "a.npy", size: 0, kind: "npy", array: { shape: full.map((n) => Math.min(n, 60)) } };
    expect(chosen(s, chosen(s, {}, array as unknown as TensorFile), small).shape).toEqual(full);
  });
  it("say which dimensions are the sides where those that were typed are none of a picture", () => {
    const s = slot("FP32", [-1, 4, -1, -1]);
    const typed = chosen(s, { sides: "typed", shape: [1, 4, 60, 1] }, large);
    expect(typed.shape).toEqual([1, 4, 60, 1]);
    expect(() => picturesPerRow(s, typed)).toThrow(
      "FP32 [1, 4, 60, 1] does not have the shape of a picture: dimensions 3 and 4 are its height and width, 4 to 4096 each",
    );
    const small4 = chosen(s, { sides: "typed", shape: [1, 4, 8, 8] }, large);
    expect(conversionOf(s, small4)).toMatchObject({ width: 8, height: 8, channels: 4, layout: "CHW" });
    const grey = slot("FP32", [-1, 1, 2, 2]);
    expect(() => picturesPerRow(grey, chosen(grey, {}, large))).toThrow(/the shape of a picture$/);
  });
  it("have the conversion that was chosen in their own size", () => {
    const first = chosen(open, {}, large);
    const conversion = { ...(conversionOf(open, first) as Conversion), invert: true };
    const second = chosen(open, { ...first, conversion }, small);
    expect(second).toMatchObject({ shape: [40, 30, 3], conversion: { width: 30, height: 40, invert: true } });
  });
  it("have the size that was typed for the conversion or for the dimensions, the last one", () => {
    const first = chosen(open, {}, large);
    const fill = { ...(conversionOf(open, first) as Conversion), fit: "fill" as const };
    const half = { ...first, ...withSize(open, { ...first, conversion: fill }, { width: 100, height: 50 }) };
    expect(half).toMatchObject({ shape: [50, 100, 3], conversion: { width: 100, height: 50, fit: "fill" } });
    expect(picturesPerRow(open, half)).toBe(1);
    expect(chosen(open, half, small).shape).toEqual([50, 100, 3]);
    const low = { ...half, ...withDimension(open, half, 0, 20) };
    expect(low).toMatchObject({ shape: [20, 100, 3], conversion: { width: 100, height: 20, fit: "fill" } });
    const none = { ...low, ...withDimension(open, low, 0, 0) };
    expect(() => picturesPerRow(open, none)).toThrow("does not have the shape of a picture");
    const fixed = slot("UINT8", [3000, 6000, 1]);
    const other = {
      ...draftOf(fixed, {}),
      ...withSize(fixed, { ...draftOf(fixed, {}), conversion: fill }, fill),
    };
    expect(other.shape).toEqual([3000, 6000, 1]);
    expect(() => picturesPerRow(fixed, other)).toThrow("takes 18,000,000. Change the size");
    const sides = slot("FP32", [3, 224, 224]);
    const quarter = chosen(sides, { conversion: { ...fill, width: 112, height: 112 } }, large);
    expect(() => planOf(sides, quarter)).toThrow(
      "FP32 [3, 224, 224] takes 4 pictures of 112 × 112 × 3; 1 was given. Change the size in the conversion",
    );
    const four = { ...slot("FP32", [4, 3, 112, 112]), batch: undefined };
    expect(() => planOf(four, chosen(four, {}, large))).toThrow(
      /takes 4 pictures of 112 × 112 × 3; 1 was given$/,
    );
  });
  it.each([
    ["of a picture that was not kept go with it", "file", [3, 224, 224], [3, 40, 30]],
    ["that were typed stay", "typed", [3, 8, 8], [3, 8, 8]],
  ] as const)("come back with an earlier request: sides %s", async (_, sides, again, next) => {
    const input = await buildInput(planes, {
      ...draftOf(planes, {}),
      source: "random",
      shape: [3, 8, 8],
      sides,
      files: [large],
    });
    const lost = fitDraft(planes, draftFromInput({ ...input, data: { case: undefined } }));
    expect(lost.shape).toEqual(again);
    expect(chosen(planes, lost, small).shape).toEqual(next);
    expect(fitDraft(planes, draftFromInput(input)).shape).toEqual([3, 8, 8]); // its values fill these sides
  });
});
