import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { InferInputSchema, InferRequestSchema } from "../api/conch_pb";
import { encode } from "../lib/tensor";
import { asJson, fromJson } from "./json";
import { written } from "./parameters";

it("goes both ways", async () => {
  const raw = encode("FP32", [1, Number.NaN, 3, Number.NEGATIVE_INFINITY]);
  const input = create(InferInputSchema, {
    name: "x",
    datatype: "FP32",
    shape: [2n, 2n],
    data: { case: "raw", value: raw },
  });
  const request = create(InferRequestSchema, { model: "m", inputs: [input] });
  expect(await fromJson("m", asJson(request))).toEqual(request);
  const more = create(InferRequestSchema, {
    ...request,
    id: "first",
    parameters: { ...written({ sequence_id: 5n }) },
  });
  expect(await fromJson("m", asJson(more))).toEqual(more);
});

it("keeps bytes that are no text", async () => {
  const raw = encode("BYTES", [new Uint8Array([0xff, 0xd8, 0xff])]);
  const input = { name: "jpeg", datatype: "BYTES", shape: [1n], data: { case: "raw" as const, value: raw } };
  const request = create(InferRequestSchema, { model: "m", inputs: [create(InferInputSchema, input)] });
  expect(await fromJson("m", asJson(request))).toEqual(request);
});

it("names outputs either way", async () => {
  expect((await fromJson("m", '{"inputs": [], "outputs": ["a", {"name": "b"}]}')).outputs).toEqual([
    "a",
    "b",
  ]);
});

it("lets the engine judge shapes and names", async () => {
  const text =
    '{"inputs": [{"name": "nobody", "datatype": "INT64", "shape": [7], "data": [9007199254740993]}]}';
  expect((await fromJson("m", text)).inputs[0]).toMatchObject({ name: "nobody", shape: [7n] });
});

it.each([
  ["", "Not JSON"],
  ["{}", 'a list of tensors under "inputs"'],
  ['{"inputs": [{}]}', 'Input 1 has no "name"'],
  ['{"inputs": [{"name": "x", "datatype": "F32"}]}', '"datatype" must be a tensor type'],
  [
    '{"inputs": [{"name": "x", "datatype": "FP32", "shape": [1.5]}]}',
    '"shape" must be a list of whole numbers',
  ],
  ['{"inputs": [{"name": "x", "datatype": "FP32", "shape": [1]}]}', 'has no "data"'],
  [
    '{"inputs": [{"name": "x", "datatype": "FP32", "shape": [1], "data": [[1], [2, 3]]}]}',
    'Input "x": Rows differ',
  ],
  [
    '{"inputs": [{"name": "x", "datatype": "INT8", "shape": [1], "data": [300]}]}',
    'Input "x": The value is 300: INT8 takes whole numbers from -128 to 127',
  ],
  [
    '{"inputs": [{"name": "x", "datatype": "FP16", "shape": [1], "data": [70000]}]}',
    'Input "x": The value is 70000: FP16 ends at 65504',
  ],
  ['{"inputs": [], "outputs": [1]}', '"outputs" must be a list of names'],
])("%s is refused", (text, message) => expect(fromJson("m", text)).rejects.toThrow(message));
