import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { InferInputSchema } from "../api/conch_pb";
import { decode, type Element, encode } from "../lib/tensor";
import { buildInput } from "./building";
import { draftFromInput } from "./earlier";
import { exampleValues, fitDraft, newDraft, type Slot, slotsOf } from "./tryDrafts";

const slot = (datatype: string, ...dims: number[]): Slot => ({
  spec: { name: "x", datatype, shape: dims.map(BigInt) },
  place: 0,
  batch: dims[0] === -1 ? 1 : undefined,
});
const sent = (datatype: string, shape: number[], values: Element[]) =>
  create(InferInputSchema, {
    name: "x",
    datatype,
    shape: shape.map(BigInt),
    data: { case: "raw", value: encode(datatype, values) },
  });

describe("what a form begins with", () => {
  it.each([
    [slot("UINT8", -1, 4, 32, 32), "file", [1, 4, 32, 32]],
    [{ ...slot("UINT8", -1, -1, 4), batch: undefined }, "file", [224, 224, 4]],
    [slot("FP32", -1, -1, 4), "values", [1, 1, 4]],
    [slot("FP32", -1, 4, 64, 64), "random", [1, 4, 64, 64]],
    [slot("FP32", -1, 64), "values", [1, 64]],
    [slot("FP32", 64), "values", [64]],
    [slot("UINT8", -1, 784), "random", [1, 784]],
    [slot("FP32", 16, 784), "random", [16, 784]],
    [slot("FP32", 32, 32), "draw", [32, 32]],
    [slot("FP32", -1, 1, 28, 28), "draw", [1, 1, 28, 28]],
    [slot("UINT8", -1, 28, 28), "draw", [1, 28, 28]],
    [slot("INT32", -1, 16), "values", [1, 16]],
    [slot("FP32", -1, 3, -1, -1), "file", [1, 3, 224, 224]],
    [slot("FP32", -1, 1000), "random", [1, 1000]],
    [slot("BYTES", -1, 1), "values", [1, 1]],
    [slot("INT64", -1, -1), "values", [1, 1]],
    [slot("INT32", -1, -1, -1), "values", [1, 1, 1]],
    [slot("INT32", -1, 28, 28), "draw", [1, 28, 28]],
    [{ ...slot("UINT8", -1, -1, 3), batch: undefined }, "file", [224, 224, 3]],
    [{ ...slot("UINT8", -1, -1, -1, 3), batch: undefined }, "file", [1, 224, 224, 3]],
    [slot("UINT8", -1, -1, -1, 3), "file", [1, 224, 224, 3]],
  ])("case %#", (s, source, shape) => expect(newDraft(s)).toMatchObject({ source, shape }));

  it("leaves optional inputs out", () => {
    const { spec } = slot("FP32", 1);
    expect(newDraft({ spec: { ...spec, optional: true }, place: 0 }).skip).toBe(true);
  });

  it("shows values that differ between inputs, and between elements", () => {
    const first = slot("INT32", -1, 4);
    const shown = [0, 1, 2, 3].map((place) => {
      const at = { ...first, place };
      return exampleValues(at, newDraft(at));
    });
    expect(shown[0]).toBe("[[0, 1, 2, 3]]");
    expect(shown[1]).toBe("[[1, 3, 5, 7]]");
    expect(new Set(shown).size).toBe(4);
  });

  it("shows a single value without brackets, text without quotes", () => {
    const one = slot("FP32", -1, 1);
    expect(exampleValues(one, newDraft(one))).toBe("0");
    const two = { ...one, batch: 2 };
    expect(exampleValues(two, newDraft(two))).toBe("[0, 1]");
    const text = slot("BYTES", 1);
    expect(exampleValues(text, newDraft(text))).toBe("text");
  });
});

it("gives every input that batches the rows of the request, and the others none", () => {
  const tensor = (name: string, shape: bigint[], dims: bigint[]) => ({
    name,
    datatype: "FP32",
    shape,
    dims,
    optional: false,
  });
  const inputs = [tensor("x", [-1n, 4n], [4n]), tensor("y", [4n], [4n])];
  expect(slotsOf(inputs, 8, 3).map(({ batch, place }) => [batch, place])).toEqual([
    [3, 0],
    [undefined, 1],
  ]);
  expect(slotsOf(inputs, 0, 3).map(({ batch }) => batch)).toEqual([undefined, undefined]);
});

it("has an input once that a config names twice", () => {
  const named = (name: string, datatype: string) => ({
    name,
    datatype,
    shape: [1n],
    dims: [1n],
    optional: false,
  });
  const slots = slotsOf([named("a", "FP32"), named("b", "FP32"), named("a", "INT8")], 0, 1);
  expect(slots.map(({ spec: { name, datatype } }) => `${name} ${datatype}`)).toEqual(["a FP32", "b FP32"]);
});

it("keeps a draft while its shape fits, settles it again when the model changed, and follows the batch", () => {
  const draft = { ...newDraft(slot("FP32", -1, 2)), values: "[1]" };
  expect(fitDraft(slot("FP32", -1, 2), draft)).toBe(draft);
  expect(fitDraft(slot("FP32", -1, 5), draft)).toMatchObject({ shape: [1, 5], values: "[1]" });
  expect(fitDraft({ ...slot("FP32", -1, 2), batch: 3 }, draft)).toMatchObject({
    shape: [3, 2],
    values: "[1]",
  });
});

it("forgets a field that the model no longer has", () => {
  const unfinished = { "dim.1": { text: "abc", problem: "Dimension 2 is abc" } };
  const draft = { ...newDraft(slot("FP32", -1, -1)), unfinished };
  expect(fitDraft(slot("FP32", -1, -1), draft).unfinished).toBe(unfinished);
  expect(fitDraft(slot("FP32", -1, 5, 2), draft).unfinished).toBeUndefined();
});

describe("an earlier request", () => {
  it("comes back as values where they are few", () => {
    expect(draftFromInput(sent("FP32", [1, 2], [1, 2]))).toMatchObject({
      source: "values",
      values: "[[1, 2]]",
    });
    expect(draftFromInput(sent("FP16", [1, 1], [65504]))).toMatchObject({ values: "65504" });
    const typed = create(InferInputSchema, { data: { case: "json", value: "[1,2]" } });
    expect(draftFromInput(typed)).toMatchObject({ source: "values", values: "[1,2]" });
  });
  it("comes back as a file where they are many, and empty where it was not kept", () => {
    const many = sent("FP32", [1, 2000], new Array(2000).fill(0));
    expect(draftFromInput(many)).toMatchObject({ source: "file", files: [{ kind: "raw", size: 8000 }] });
    const lost = create(InferInputSchema, { name: "x", datatype: "FP32", shape: [1n, 2n] });
    expect(draftFromInput(lost)).toEqual({ source: "file", shape: [1, 2], skip: false });
  });
  it.each<[string, Element[]]>([
    ["text", ["hello"]],
    ["text that looks like JSON", ['["a"]']],
    ["several strings", ["a", "b"]],
    ["bytes that are no text", [new Uint8Array([0xff, 0xd8])]],
    ["text and bytes", ["a", new Uint8Array([0xff])]],
    ["nothing", [""]],
    ["very many strings", Array.from({ length: 2000 }, (_, i) => `text ${i}`)],
  ])("of BYTES is sent again as it was: %s", async (_, elements) => {
    const input = sent("BYTES", [elements.length], elements);
    const draft = draftFromInput(input);
    expect(await buildInput(slot("BYTES", elements.length), draft)).toEqual(input);
  });
  it("shows text as text", () => expect(draftFromInput(sent("BYTES", [1], ["hello"])).values).toBe("hello"));
  it("comes back as a drawing, to the pixel", async () => {
    const ink = Uint8Array.from({ length: 784 }, (_, i) => i % 256);
    const image = slot("UINT8", -1, 28, 28);
    const input = await buildInput(image, { ...newDraft(image), drawing: { width: 28, height: 28, ink } });
    const draft = draftFromInput(input);
    expect(draft).toMatchObject({ source: "draw", drawing: { width: 28, height: 28 } });
    expect(await buildInput(image, draft)).toEqual(input);
    expect(decode("UINT8", input.data.value as Uint8Array).at(300)).toBe(300 % 256);
  });
});
