import { describe, expect, it } from "vitest";
import { pictureOf } from "../lib/picture";
import { decode, encode } from "../lib/tensor";
import { buildInput, planOf } from "./building";
import { fittedTo } from "./fileParts";
import { RowsError } from "./rows";
import { conversionOf, fitDraft, type InputDraft, newDraft, type Slot, type TensorFile } from "./tryDrafts";

/** An input whose first dimension is the batch when it is -1. */
function slot(datatype: string, dims: number[], batch = 1): Slot {
  return {
    spec: { name: "x", datatype, shape: dims.map(BigInt) },
    place: 0,
    batch: dims[0] === -1 ? batch : undefined,
  };
}

const draftOf = (s: Slot, patch: Partial<InputDraft>) => fitDraft(s, { ...newDraft(s), ...patch });

async function built(s: Slot, patch: Partial<InputDraft>) {
  const { shape, data } = await buildInput(s, draftOf(s, patch));
  const values = decode(s.spec.datatype, data.value as Uint8Array);
  return { shape: shape.map(Number), values: Array.from({ length: values.length }, (_, i) => values.at(i)) };
}

describe("values", () => {
  const pair = (batch: number) => slot("INT32", [-1, 2], batch);
  const typed = (values: string, more = {}) => ({ source: "values", values, ...more }) as const;
  it("fill the rows, nested or flat", async () => {
    const both = { shape: [2, 2], values: [1, 2, 3, 4] };
    expect(await built(pair(2), typed("[[1,2],[3,4]]"))).toEqual(both);
    expect(await built(pair(2), typed("[1, 2, 3, 4]"))).toEqual(both);
  });
  it("of one row are repeated when that was asked for, and only then", async () => {
    await expect(built(pair(3), typed("[1, 2]"))).rejects.toThrow("1 row for a batch of 3");
    expect((await built(pair(3), typed("[1, 2]", { repeat: true }))).values).toEqual([1, 2, 1, 2, 1, 2]);
    await expect(built(pair(1), typed("[[1,2],[3,4]]"))).rejects.toThrow("2 rows for a batch of 1");
  });
  it.each([
    ["[1,2,3]", "INT32 [1, 2] takes 2 values; 3 were given"],
    ["[1]", "INT32 [1, 2] takes 2 values; 1 was given"],
    ["[]", "INT32 [1, 2] takes 2 values; 0 were given"],
    ["[1.5, 2]", "Value 1 is 1.5: INT32 takes whole numbers"],
    ["[1,", "The list ends after a comma"],
  ])("%s are refused", (values, message) => expect(built(pair(1), typed(values))).rejects.toThrow(message));
  it("without a batch fill the tensor", async () => {
    await expect(built(slot("INT32", [2]), typed("[1,2,3,4]"))).rejects.toThrow(
      "INT32 [2] takes 2 values; 4 were given",
    );
  });
  it("of an empty tensor are none", async () => {
    expect(await built(slot("FP32", [-1, -1], 2), typed("[]", { shape: [2, 0] }))).toEqual({
      shape: [2, 0],
      values: [],
    });
  });
  it("that nobody typed are examples where they are few, and are asked for where they are many", async () => {
    expect((await built(pair(1), { source: "values" })).values).toEqual([0, 1]);
    const large = slot("FP32", [-1, 3, 64, 64]);
    await expect(built(large, { source: "values" })).rejects.toThrow(
      "FP32 [1, 3, 64, 64] takes 12,288 values: type them, or choose a file or random values",
    );
    await expect(built(slot("INT32", [1]), typed(" "))).rejects.toThrow(
      "INT32 [1] takes 1 value: type it, or choose",
    );
  });
  it("of BYTES are plain text", async () => {
    expect((await built(slot("BYTES", [1]), typed("hello"))).values).toEqual(["hello"]);
    await expect(built(slot("BYTES", [2]), typed("hello"))).rejects.toThrow(
      'BYTES [2] takes 2 strings; 1 was given. Write them as ["a","b"]',
    );
  });
});

describe("a field that holds no number", () => {
  const problem = 'Dimension 2 is "abc": type a whole number, 0 or more';
  const unfinished = { "dim.1": { text: "abc", problem } };
  const open = slot("INT64", [-1, -1]);
  it("keeps the request from being sent", async () => {
    await expect(built(open, { unfinished })).rejects.toThrow(problem);
  });
  it("does not while it is not on the form", async () => {
    const random = { "random.low": { text: "", problem: "From is empty" } };
    expect((await built(open, { source: "values", values: "7", unfinished: random })).values).toEqual([7n]);
    await expect(built(open, { source: "random", unfinished: random })).rejects.toThrow("From is empty");
  });
});

describe("random values", () => {
  it.each([
    ["FP16", 0, 70000, "Random values from 0 to 70000 do not fit into FP16, which holds -65504 to 65504"],
    ["UINT8", -5, 300, "do not fit into UINT8, which holds 0 to 255"],
    ["FP32", 2, 1, "Random values from 2 to 1: the first number is larger than the second"],
  ])("of %s from %d to %d are refused", (datatype, low, high, message) =>
    expect(built(slot(datatype, [2]), { source: "random", random: { seed: 1, low, high } })).rejects.toThrow(
      message,
    ),
  );
  it("of two inputs differ", async () => {
    const s = slot("FP32", [-1, 100]);
    expect(await built({ ...s, place: 1 }, { source: "random" })).not.toEqual(
      await built(s, { source: "random" }),
    );
  });
});

describe("a drawing", () => {
  const s = slot("FP32", [-1, 64]);
  const ink = new Uint8Array(784).fill(255);
  const drawing = { width: 28, height: 28, ink };
  const sent = (to: Slot, patch: Partial<InputDraft>) => built(to, { source: "draw", ...patch });
  it("is scaled to the tensor", async () => {
    const { values } = await sent(s, { drawing });
    expect(values).toHaveLength(64);
    expect(values[40]).toBeCloseTo(16);
  });
  it("that nobody drew is not sent; an empty page is", async () => {
    await expect(sent(s, {})).rejects.toThrow("Nothing is drawn yet");
    const page = { ...drawing, ink: new Uint8Array(784) };
    expect((await sent(s, { drawing: page })).values).toEqual(new Array(64).fill(0));
  });
  it("fills a batch only when it is repeated", async () => {
    const two = { ...s, batch: 2 };
    await expect(sent(two, { drawing })).rejects.toThrow("1 drawing for a batch of 2");
    expect((await sent(two, { drawing, repeat: true })).values).toHaveLength(128);
  });
  it.each([2, 3])("is one row of a batch of %i, and no colour of one picture", async (batch) => {
    const grey = { ...slot("UINT8", [-1, 28, 28]), batch };
    expect(conversionOf(grey, newDraft(grey))).toMatchObject({ width: 28, height: 28, channels: 1 });
    await expect(sent(grey, { drawing })).rejects.toThrow(`1 drawing for a batch of ${batch}`);
    expect((await sent(grey, { drawing, repeat: true })).values).toEqual(new Array(784 * batch).fill(255));
  });
  it("of a size that does not fit is refused", async () => {
    const conversion = conversionOf(s, newDraft(s));
    await expect(sent(s, { drawing, conversion: conversion && { ...conversion, width: 9 } })).rejects.toThrow(
      "9 × 8 × 1 is 72 values; FP32 [1, 64] takes 64. Change the size in the conversion",
    );
  });
});

const element = (name: string, ...raw: number[]): TensorFile => ({
  kind: "element",
  name,
  size: raw.length,
  raw: new Uint8Array(raw),
});

describe("files of BYTES", () => {
  const jpeg = element("a.jpg", 0xff, 0xd8, 0xff);
  const note = element("note.txt", 104, 105);
  const given = async (s: Slot, ...files: TensorFile[]) =>
    (await buildInput(s, draftOf(s, { source: "file", files }))).data.value;
  it("are elements as they are, each with its length before it", async () => {
    expect(await given(slot("BYTES", [-1, 1]), jpeg)).toEqual(new Uint8Array([3, 0, 0, 0, 0xff, 0xd8, 0xff]));
    expect(await given(slot("BYTES", [2]), jpeg, note)).toEqual(
      new Uint8Array([3, 0, 0, 0, 0xff, 0xd8, 0xff, 2, 0, 0, 0, 104, 105]),
    );
  });
  it("fill the batch, or the list that is open", () => {
    const rows = slot("BYTES", [-1, 1]);
    const files = [jpeg, note, jpeg];
    expect(fittedTo(rows, draftOf(rows, {}), files)).toEqual({ batch: 3, shape: [1, 1] });
    const list = slot("BYTES", [2, -1]);
    expect(fittedTo(list, draftOf(list, { shape: [2, 1] }), files)).toEqual({ shape: [2, 3] });
    expect(fittedTo(rows, draftOf(rows, {}), [jpeg])).toEqual({ shape: [1, 1] });
  });
  it("that do not fill the tensor are counted", async () => {
    await expect(given(slot("BYTES", [2]), jpeg)).rejects.toThrow("BYTES [2] takes 2 files; 1 was given");
    await expect(given(slot("BYTES", [-1, 1], 3), jpeg, note)).rejects.toThrow("2 files for a batch of 3");
    await expect(given(slot("BYTES", [1]))).rejects.toThrow("No file is chosen yet");
  });
});

describe("other files", () => {
  const s = slot("FP32", [-1, 2]);
  const file = (patch: object) =>
    ({ source: "file", files: [{ name: "a", size: 0, ...patch } as TensorFile] }) as const;
  const npy = (datatype: string, shape: number[], values: number[]) =>
    file({ kind: "npy", name: "a.npy", array: { datatype, shape, raw: encode(datatype, values) } });
  it("of NumPy bring their batch, and are cast", async () => {
    const draft = npy("FP64", [2, 2], [1, 2, 3, 4.5]);
    expect(fittedTo(s, draftOf(s, {}), draft.files)).toEqual({ shape: [2, 2], batch: 2 });
    expect(await built({ ...s, batch: 2 }, draft)).toEqual({ shape: [2, 2], values: [1, 2, 3, 4.5] });
  });
  it("of raw values are whole rows", async () => {
    const raw = (n: number) => file({ kind: "raw", name: "a.bin", raw: new Uint8Array(n) });
    expect((await built({ ...s, batch: 2 }, raw(16))).values).toHaveLength(4);
    await expect(built({ ...s, batch: 2 }, raw(8))).rejects.toThrow("1 row for a batch of 2");
    await expect(built(s, raw(3))).rejects.toThrow("a.bin has 3 bytes; FP32 [1, 2] takes 8 bytes");
  });
  it("that cannot fit are refused", async () => {
    await expect(built(s, npy("FP32", [3], [1, 2, 3]))).rejects.toThrow(
      "a.npy holds FP32 [3]; the model takes FP32 [-1, 2]",
    );
    await expect(built(slot("UINT8", [1]), npy("FP32", [1], [0.5]))).rejects.toThrow(
      "a.npy holds FP32. The value is 0.5",
    );
    await expect(built(slot("FP16", [1]), npy("FP32", [1], [70000]))).rejects.toThrow("FP16 ends at 65504");
  });
  it("of pictures: one does not fill a batch of two unless it is repeated", async () => {
    const image = slot("UINT8", [-1, 4, 4, 3], 2);
    const pixels = (value: number) => ({ width: 4, height: 4, data: new Uint8Array(64).fill(value) });
    const picture = (value: number) =>
      ({ kind: "picture", name: "p.png", size: 0, picture: pictureOf(pixels(value)) }) as const;
    const one = { source: "file", files: [picture(255)] } as const;
    expect(() => planOf(image, draftOf(image, one))).toThrow(RowsError);
    expect(() => planOf(image, draftOf(image, one))).toThrow("1 picture for a batch of 2");
    expect(planOf(image, draftOf(image, { ...one, repeat: true })).repeated).toBe(1);
    const { values } = await built(image, { source: "file", files: [picture(255), picture(0)] });
    expect([values[0], values[48]]).toEqual([255, 255]); // black without ink is transparent: white
  });
});

it("refuses tensors that the window could not hold, and types that are none", async () => {
  const huge = { source: "random", shape: [100000, 100000] } as const;
  expect(() => planOf(slot("FP32", [2, 2]), { ...newDraft(slot("FP32", [2, 2])), ...huge })).toThrow(
    "more than 512 MiB",
  );
  await expect(built(slot("", [1]), {})).rejects.toThrow("The config gives this input no data type");
});

describe("a long text of values", () => {
  const s = slot("FP32", [-1, 4], 2);
  const typed = (values: string) => draftOf(s, { source: "values", values });
  const long = (end: string) => `[${"0.123456, ".repeat(8000)}${end}]`;
  it("is judged later, so that the page can draw meanwhile", async () => {
    const plan = planOf(s, typed(long("oops")));
    await expect(plan.later?.()).rejects.toThrow('"oops" is not a value');
    await expect(planOf(s, typed(long("1, 2, 3, 4"))).later?.()).rejects.toThrow(
      "2,001 rows for a batch of 2",
    );
    await expect(planOf(s, typed(long("1, 2, 3, 4"))).later?.()).rejects.toThrow(RowsError);
  });
  it("is sent as a short one is", async () => {
    const rows = { ...s, batch: 2001 };
    const { values } = await built(rows, { source: "values", values: long("1, 2, 3, 4") });
    expect(values).toHaveLength(8004);
    expect(values.slice(-4)).toEqual([1, 2, 3, 4]);
  });
});
