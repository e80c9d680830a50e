import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { InferInputSchema } from "../api/conch_pb";
import { decode, encode } from "../lib/tensor";
import { buildInput, conversionOf, draftFromInput, exampleValues, fitDraft, newDraft } from "./tryDrafts";

const spec = (datatype: string, ...dims: number[]) => ({ name: "x", datatype, shape: dims.map(BigInt) });
const numbers = (datatype: string, raw: unknown) => {
  const values = decode(datatype, raw as Uint8Array);
  return Array.from({ length: values.length }, (_, i) => values.at(i));
};
const built = (s: ReturnType<typeof spec>, patch: object) => buildInput(s, { ...newDraft(s), ...patch });

describe("what a form begins with", () => {
  it.each([
    [spec("FP32", -1, 64), "draw", [1, 64]],
    [spec("UINT8", -1, 28, 28), "draw", [1, 28, 28]],
    [spec("INT32", -1, 16), "values", [1, 16]],
    [spec("FP32", -1, 3, -1, -1), "draw", [1, 3, 224, 224]],
    [spec("FP32", -1, 1000), "random", [1, 1000]],
    [spec("BYTES", -1, 1), "values", [1, 1]],
    [spec("INT64", -1, -1), "values", [1, 1]],
  ])("case %#", (s, source, shape) => expect(newDraft(s)).toMatchObject({ source, shape }));

  it("leaves optional inputs out", () =>
    expect(newDraft({ ...spec("FP32", 1), optional: true }).skip).toBe(true));
});

it("keeps a draft while its shape fits, settles it again when the model changed", () => {
  const draft = { ...newDraft(spec("FP32", -1, 2)), shape: [3, 2], values: "[1]" };
  expect(fitDraft(spec("FP32", -1, 2), draft)).toBe(draft);
  expect(fitDraft(spec("FP32", -1, 5), draft)).toMatchObject({ shape: [1, 5], values: "[1]" });
});

describe("values", () => {
  const s = spec("INT32", -1, 2);
  it("takes nested values with their own batch", () => {
    expect(built(s, { values: "[[1,2],[3,4]]" }).shape).toEqual([2n, 2n]);
  });
  it("takes flat values in the shape of the form", () => {
    const input = built(s, { values: "[1, 2]" });
    expect(input.shape).toEqual([1n, 2n]);
    expect(numbers("INT32", input.data.value)).toEqual([1, 2]);
  });
  it("shows an example until somebody types", () => expect(exampleValues(s, [1, 2])).toBe("[[0, 1]]"));
  it.each([
    ["[1,2,3]", "INT32 [1, 2] takes 2 values; 3 are here"],
    ["[1.5, 2]", "takes whole numbers"],
    ["[1,", "Not JSON"],
  ])("%s is refused", (values, message) => expect(() => built(s, { values })).toThrow(message));
});

describe("pictures", () => {
  const s = spec("FP32", -1, 64);
  const ink = new Uint8Array(784).fill(255);
  it("scales a drawing to the tensor, for every element of the batch", () => {
    const input = built(s, { shape: [2, 64], drawing: { width: 28, height: 28, ink } });
    const values = numbers("FP32", input.data.value);
    expect(values).toHaveLength(128);
    expect(values[100]).toBeCloseTo(16);
  });
  it("sends an empty page as zeros", () =>
    expect(numbers("FP32", built(s, {}).data.value)).toEqual(new Array(64).fill(0)));
  it("says when the sides do not fit", () => {
    const conversion = conversionOf(s, newDraft(s));
    expect(() => built(s, { conversion: { ...conversion, width: 9 } })).toThrow(
      "9 × 8 × 1 are 72 values; FP32 [1, 64] takes 64",
    );
  });
});

describe("files", () => {
  const s = spec("FP32", -1, 2);
  const npy = (datatype: string, shape: number[], values: number[]) => ({
    source: "file",
    file: { kind: "npy", name: "a.npy", size: 0, array: { datatype, shape, raw: encode(datatype, values) } },
  });
  it("takes a .npy with its own batch, casting its type", () => {
    const input = built(s, npy("FP64", [2, 2], [1, 2, 3, 4.5]));
    expect(input.shape).toEqual([2n, 2n]);
    expect(numbers("FP32", input.data.value)).toEqual([1, 2, 3, 4.5]);
  });
  it("refuses what cannot fit", () => {
    expect(() => built(s, npy("FP32", [3], [1, 2, 3]))).toThrow(
      "The file holds FP32 [3]; the model takes FP32 [-1, 2]",
    );
    expect(() => built(spec("UINT8", 1), npy("FP32", [1], [0.5]))).toThrow("takes whole numbers");
    const raw = { source: "file", file: { kind: "raw", name: "a.bin", size: 3, raw: new Uint8Array(3) } };
    expect(() => built(s, raw)).toThrow("a.bin has 3 bytes; FP32 [1, 2] takes 8");
    expect(() => built(s, { source: "file" })).toThrow("No file chosen");
  });
});

it("refuses tensors that the window could not hold", () => {
  expect(() => built(spec("FP32", -1, -1), { source: "random", shape: [100000, 100000] })).toThrow(
    "more than 512 MB",
  );
});

it("loads an earlier request back", () => {
  const few = create(InferInputSchema, {
    name: "x",
    datatype: "FP32",
    shape: [1n, 2n],
    data: { case: "raw", value: encode("FP32", [1, 2]) },
  });
  expect(draftFromInput(few)).toMatchObject({ source: "values", values: "[[1, 2]]" });
  const many = create(InferInputSchema, {
    ...few,
    shape: [1n, 2000n],
    data: { case: "raw", value: new Uint8Array(8000) },
  });
  expect(draftFromInput(many)).toMatchObject({ source: "file", file: { kind: "raw", size: 8000 } });
  const typed = create(InferInputSchema, { ...few, data: { case: "json", value: "[1,2]" } });
  const lost = create(InferInputSchema, { name: "x", datatype: "FP32", shape: [1n, 2n] });
  expect(draftFromInput(lost)).toEqual({ source: "file", shape: [1, 2], skip: false });
  expect(draftFromInput(typed)).toMatchObject({ source: "values", values: "[1,2]" });
});

it("loads a drawing back as a drawing, to the pixel", () => {
  const image = spec("UINT8", -1, 28, 28);
  const ink = Uint8Array.from({ length: 784 }, (_, i) => i % 256);
  const sent = built(image, { drawing: { width: 28, height: 28, ink } });
  const draft = draftFromInput(sent);
  expect(draft).toMatchObject({ source: "draw", drawing: { width: 28, height: 28 } });
  expect(buildInput(image, draft)).toEqual(sent);
});
