import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ConvertedTensorSchema } from "../../api/conch_pb";
import { firstChoice, readRange, requestOf } from "./choice";

test("a plan has a range for each input whose sizes vary", () => {
  const choice = { ...firstChoice("digits"), target: "tensorrt" as const, workspace: "64" };
  const inputs = [
    create(ConvertedTensorSchema, { name: "image", datatype: "FP32", shape: [-1n, 64n], input: true }),
  ];
  const request = requestOf("digits", choice, inputs, 32);
  expect(request).toMatchObject({
    becomes: "digits_trt",
    plan: { precision: "fp16", workspace: 64n << 20n },
  });
  expect(requestOf("digits", { ...choice, gpu: 1 }, inputs, 32).plan?.gpu).toBe(1);
  expect(request.plan?.ranges[0]).toMatchObject({ least: [1n, 64n], best: [8n, 64n], largest: [32n, 64n] });
  expect(readRange("x", "1x3, 2 x 3,4x3").best).toEqual([2n, 3n]);
  expect(() => readRange("x", "1x3")).toThrow("x: write three shapes");
  expect(() => requestOf("digits", { ...choice, workspace: "much" }, inputs, 32)).toThrow("a number of MiB");
});
