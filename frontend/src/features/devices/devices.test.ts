import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { GpuInstanceSchema, GpuSchema, ModelState, ModelSummarySchema } from "../../api/conch_pb";
import {
  areFew,
  dividedText,
  driverText,
  fullText,
  idleOf,
  isNearlyFull,
  isScarce,
  numbersOf,
  othersText,
  sharesOf,
} from "./devices";

const GiB = 1024 ** 3;

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

test("what is nearly full, and what is scarce", () => {
  expect([isNearlyFull(gpu(0, 900)), isNearlyFull(gpu(0, 899)), isNearlyFull(gpu(0, 5, -1))]).toEqual([
    true,
    false,
    false,
  ]);
  expect([isScarce(0n), isScarce(500_000_000n), isScarce(2_000_000_000n)]).toEqual([false, true, false]);
});

test("other programs on a GPU are told, and not those of the engine", () => {
  const of = (processCount: number, ...processes: { pid: number; bytes: number; own: boolean }[]) =>
    othersText(create(GpuSchema, { processCount, processes }));
  expect(of(0)).toBe("");
  expect(of(1, { pid: 7, bytes: 5 * GiB, own: true })).toBe("");
  expect(
    of(
      200,
      { pid: 7, bytes: 5 * GiB, own: true },
      { pid: 8, bytes: 4 * GiB, own: false },
      { pid: 9, bytes: -1, own: false },
    ),
  ).toBe("Other programs here: process 8 (4.0 GiB), 9 and 197 more");
});

test("who makes room on a full GPU is told: a model that is unloaded, or other programs alone", () => {
  const full = (own: boolean) => create(GpuSchema, { processes: [{ pid: 8, bytes: 4 * GiB, own }] });
  expect(fullText(full(false), [{ model: "a", bytes: 0 }])).toContain(
    "Unload a model, or end other programs",
  );
  expect(fullText(full(true), [])).toContain("Unload a model");
  expect(fullText(full(false), [])).toMatch(
    /No model .* other programs hold its memory\. End some of them\.$/,
  );
  expect(fullText(full(false), [])).not.toContain("Unload");
});

test("models that are not trusted are among those that are not loaded", () => {
  const of = (name: string, state: ModelState, ensemble = false) =>
    create(ModelSummarySchema, { name, state, ensemble });
  const models = [
    of("a", ModelState.UNTRUSTED),
    of("b", ModelState.READY),
    of("c", ModelState.UNLOADED),
    of("d", ModelState.UNLOADED, true),
  ];
  expect(idleOf(models).map(({ name }) => name)).toEqual(["a", "c"]);
});

test("the driver says how far it goes, not that CUDA is there", () => {
  expect(driverText("580.65, CUDA 13.0")).toBe("NVIDIA driver 580.65, which runs CUDA up to 13.0");
  expect(driverText("580.65")).toBe("NVIDIA driver 580.65");
});

test("a divided GPU is told by its parts", () => {
  const part = (number: number, compute: number, profile: string, usedBytes: number) =>
    create(GpuInstanceSchema, { number, compute, profile, usedBytes, totalBytes: 100 });
  const divided = (...instances: ReturnType<typeof part>[]) =>
    create(GpuSchema, { divided: true, instances });
  const some = divided(part(1, 0, "1g.5gb", 3), part(2, 0, "1g.5gb", 95), part(5, 1, "3g.20gb", -1));
  expect(dividedText(some)).toBe("Divided into 3 instances (MIG) · 2 × 1g.5gb, 3g.20gb · 1 nearly full");
  expect(dividedText(divided(part(-1, -1, "", -1)))).toBe("Divided into 1 instance (MIG)");
  expect(dividedText(divided())).toContain("the driver tells of no instance");
  expect(some.instances.map((one) => numbersOf(one)[0])).toEqual(["1/0", "2/0", "5/1"]);
  expect([numbersOf(part(3, -1, "", 0))[0], numbersOf(part(-1, -1, "", 0))[0]]).toEqual(["3", ""]);
  expect([areFew([some, some]), areFew([some, some, some])]).toEqual([true, false]);
});
