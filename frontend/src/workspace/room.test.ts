import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { FindDevicesResponseSchema, GetModelResponseSchema, GpuSchema } from "../api/conch_pb";
import { roomFor } from "./room";

const gpu = (index: number, usedBytes: number, totalBytes = 1000) =>
  create(GpuSchema, { index, device: `GPU ${index}`, usedBytes, totalBytes });
const model = (size: bigint) =>
  create(GetModelResponseSchema, {
    summary: { versions: [{ number: 1n }, { number: 2n }] },
    files: [
      { path: "1/model.onnx", size: 9999n },
      { path: "2/model.onnx", size },
      { path: "config.pbtxt", size: 5n },
    ],
  });
const on = (...devices: string[]) => create(FindDevicesResponseSchema, { devices });
const room = (size: bigint, devices: string[], freeBytes: bigint, ...gpus: ReturnType<typeof gpu>[]) =>
  roomFor(model(size), { gpus, freeBytes }, on(...devices)).text;

test("the newest version's files are what a model needs, and devices with as much free have room", () => {
  expect(roomFor(model(300n), { gpus: [], freeBytes: 500n }, on("CPU"))).toMatchObject({
    needs: 300,
    on: ["processor"],
  });
  const gpus = [gpu(0, 800), gpu(1, 100)];
  expect(room(300n, ["GPU 0", "GPU 1"], 0n, ...gpus)).toBe("room on GPU 1");
  expect(room(300n, ["GPU 0", "GPU 1", "CPU"], 500n, ...gpus)).toBe("room on GPU 1, processor");
  expect(room(300n, ["GPU 0", "CPU"], 200n, ...gpus)).toBe(
    "no room for it now: GPU 0 has 200 B free, processor has 200 B free",
  );
  expect(room(300n, ["GPU 0"], 0n, gpu(0, 1200))).toBe("no room for it now: GPU 0 has 0 B free");
});

test("nothing is said of what is not known", () => {
  expect(room(300n, ["CPU"], 0n)).toBe("");
  expect(room(300n, ["GPU 0"], 0n, gpu(0, -1))).toBe("");
  expect(room(300n, ["GPU 5"], 0n, gpu(0, 10))).toBe("");
  expect(room(300n, ["WebGPU"], 500n)).toBe(""); // its driver tells nobody how much is free
  expect(room(300n, [], 500n)).toBe("");
  expect(roomFor(model(300n), undefined, on("CPU"))).toMatchObject({ on: undefined, text: "" });
  expect(roomFor(model(300n), { gpus: [], freeBytes: 500n }, undefined)).toMatchObject({
    on: undefined,
    text: "",
  });
});

test("only the devices on which the engine would run it count, whatever else the machine has", () => {
  expect(room(300n, ["CPU"], 500n, gpu(0, 0), gpu(1, 0))).toBe("room on processor");
});

test("a divided GPU has the room of the instance that models get", () => {
  const divided = create(GpuSchema, {
    totalBytes: 80_000,
    divided: true,
    instances: [
      { usedBytes: 30, totalBytes: 100, device: "GPU 0", profile: "1g.10gb" },
      { usedBytes: 0, totalBytes: 5000 },
    ],
  });
  const other = { ...divided, instances: [] };
  expect(room(60n, ["GPU 0"], 0n, divided, other)).toBe("room on GPU 0 (1g.10gb)");
  expect(room(80n, ["GPU 0"], 0n, divided, other)).toBe("no room for it now: GPU 0 (1g.10gb) has 70 B free");
});

test("a machine with many GPUs is told in a few words", () => {
  const gpus = Array.from({ length: 16 }, (_, i) => gpu(i, 0));
  const names = gpus.map(({ device }) => device);
  expect(room(300n, names, 0n, ...gpus)).toBe("room on GPU 0, GPU 1, GPU 2 and 13 more");
});

test("a model that no device here would run says why", () => {
  const refused = create(FindDevicesResponseSchema, { refused: "CUDA finds no GPU" });
  expect(roomFor(model(300n), { gpus: [gpu(0, 0)], freeBytes: 5000n }, refused)).toMatchObject({
    on: [],
    text: "it would not load: CUDA finds no GPU",
  });
  const strict = { ...refused, withoutStrict: "it runs on the CPU here" };
  expect(roomFor(model(300n), { gpus: [], freeBytes: 5000n }, strict).text).toBe(
    "it would not load: CUDA finds no GPU; “Refuse models whose GPUs are missing” in Settings is on",
  );
});
