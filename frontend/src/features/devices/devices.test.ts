import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { GpuSchema, ModelSummarySchema } from "../../api/conch_pb";
import { fitText, freeOf, isNearlyFull, isScarce, sharesOf } from "./devices";

const gpu = (index: number, usedBytes: number, totalBytes = 1000) =>
  create(GpuSchema, { index, usedBytes, totalBytes });
const model = (name: string, device: string, memory: Record<string, bigint>) =>
  create(ModelSummarySchema, {
    name,
    device,
    memory: Object.entries(memory).map(([on, bytes]) => ({ device: on, bytes })),
  });

test("models are told on each device with what they hold there, the largest first", () => {
  const models = [
    model("a", "GPU 0", { "GPU 0": 1n }),
    model("b", "CPU, GPU 0, GPU 10", { CPU: 7n, "GPU 0": 5n, "GPU 10": 2n }),
    model("c", "GPU 1", { "GPU 1": 3n }),
    model("d", "CPU", {}),
  ];
  expect(sharesOf("GPU 0", models)).toEqual([
    { model: "b", bytes: 5 },
    { model: "a", bytes: 1 },
  ]);
  expect(sharesOf("GPU 1", models)).toEqual([{ model: "c", bytes: 3 }]);
  expect(sharesOf("GPU 10", models)).toEqual([{ model: "b", bytes: 2 }]);
  expect(sharesOf("CPU", models)).toEqual([
    { model: "b", bytes: 7 },
    { model: "d", bytes: 0 },
  ]);
});

test("where there is room, what is nearly full, and what is scarce", () => {
  expect(fitText(300, 0n, [gpu(0, 800), gpu(1, 100)])).toBe("room on GPU 1");
  expect(fitText(300, 500n, [gpu(0, 800), gpu(1, 100)])).toBe("room on GPU 1, processor");
  expect(fitText(300, 200n, [gpu(0, 800)])).toBe("no room for it now");
  expect(fitText(300, 0n, [])).toBe("");
  expect(fitText(300, 0n, [gpu(0, -1)])).toBe("");
  expect(freeOf(gpu(0, 1200))).toBe(0);
  expect([isNearlyFull(gpu(0, 900)), isNearlyFull(gpu(0, 899)), isNearlyFull(gpu(0, 5, -1))]).toEqual([
    true,
    false,
    false,
  ]);
  expect([isScarce(0n), isScarce(500_000_000n), isScarce(2_000_000_000n)]).toEqual([false, true, false]);
});
