import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { GpuSchema, ModelSummarySchema } from "../../api/conch_pb";
import { fitText, freeOf, isNearlyFull, onProcessor, sharesOf } from "./devices";

const gpu = (index: number, usedBytes: number, totalBytes = 1000) =>
  create(GpuSchema, { index, usedBytes, totalBytes });
const model = (name: string, device: string, memoryBytes: bigint) =>
  create(ModelSummarySchema, { name, device, memoryBytes });

test("models are told on each device where they have instances, the largest first", () => {
  const models = [
    model("a", "GPU 0", 1n),
    model("b", "CPU, GPU 0, GPU 10", 5n),
    model("c", "GPU 1", 3n),
    model("d", "CPU", 0n),
  ];
  expect(sharesOf(0, models)).toEqual([
    { model: "b", bytes: 5 },
    { model: "a", bytes: 1 },
  ]);
  expect(sharesOf(1, models).map((one) => one.model)).toEqual(["c"]);
  expect(sharesOf(10, models).map((one) => one.model)).toEqual(["b"]);
  expect(onProcessor(models).map((one) => one.model)).toEqual(["b", "d"]);
});

test("what would fit, and what is nearly full", () => {
  expect(fitText(300, [gpu(0, 800), gpu(1, 100)])).toBe("fits on GPU 1");
  expect(fitText(300, [gpu(0, 800)])).toBe("fits on no GPU now");
  expect(fitText(300, [])).toBe("");
  expect(fitText(300, [gpu(0, -1)])).toBe("");
  expect(freeOf(gpu(0, 1200))).toBe(0);
  expect([isNearlyFull(gpu(0, 900)), isNearlyFull(gpu(0, 899)), isNearlyFull(gpu(0, 5, -1))]).toEqual([
    true,
    false,
    false,
  ]);
});
