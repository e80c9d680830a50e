import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { GetModelResponseSchema, GpuSchema } from "../api/conch_pb";
import { freeOf, roomFor } from "./room";

const gpu = (index: number, usedBytes: number, totalBytes = 1000) =>
  create(GpuSchema, { index, usedBytes, totalBytes });
const model = (size: bigint, ...asksFor: string[]) =>
  create(GetModelResponseSchema, {
    summary: { versions: [{ number: 1n }, { number: 2n }] },
    files: [
      { path: "1/model.onnx", size: 9999n },
      { path: "2/model.onnx", size },
      { path: "config.pbtxt", size: 5n },
    ],
    asksFor,
  });
const room = (size: bigint, asks: string[], freeBytes: bigint, ...gpus: ReturnType<typeof gpu>[]) =>
  roomFor(model(size, ...asks), { gpus, freeBytes }, true).text;

test("the newest version's files are what a model needs, and devices with as much free have room", () => {
  expect(roomFor(model(300n), { gpus: [], freeBytes: 500n }, true)).toMatchObject({
    needs: 300,
    on: ["processor"],
  });
  expect(room(300n, [], 0n, gpu(0, 800), gpu(1, 100))).toBe("room on GPU 1");
  expect(room(300n, [], 500n, gpu(0, 800), gpu(1, 100))).toBe("room on GPU 1, processor");
  expect(room(300n, [], 200n, gpu(0, 800))).toBe(
    "no room for it now: GPU 0 has 200 B free, processor has 200 B free",
  );
  expect(room(300n, [], 0n)).toBe("");
  expect(room(300n, [], 0n, gpu(0, -1))).toBe("");
  expect(freeOf(gpu(0, 1200))).toBe(0);
});

test("a divided GPU has the room of its emptiest instance", () => {
  const divided = (...used: number[]) =>
    create(GpuSchema, {
      totalBytes: 1000,
      divided: true,
      instances: used.map((usedBytes) => ({ usedBytes, totalBytes: 100 })),
    });
  expect(freeOf(divided(90, 30, -1))).toBe(70);
  expect(freeOf(divided(-1))).toBeUndefined();
  expect(freeOf(divided())).toBeUndefined();
  expect(room(80n, ["GPU"], 0n, divided(30, 90))).toBe("no room for it now: GPU 0 has 70 B free");
});

test("the instance groups say which devices count", () => {
  const gpus = [gpu(0, 800), gpu(1, 100)];
  expect(room(300n, ["CPU"], 500n, ...gpus)).toBe("room on processor");
  expect(room(300n, ["GPU"], 500n, ...gpus)).toBe("room on GPU 1");
  expect(room(300n, ["GPU 0"], 500n, ...gpus)).toBe("no room for it now: GPU 0 has 200 B free");
  expect(room(300n, ["GPU 7"], 500n)).toBe("room on processor");
});

test("a machine with many GPUs is told in a few words", () => {
  const gpus = Array.from({ length: 16 }, (_, i) => gpu(i, 0));
  expect(room(300n, ["GPU"], 0n, ...gpus)).toBe("room on GPU 0, GPU 1, GPU 2 and 13 more");
});

test("a backend that cannot use the GPUs here runs on the processor, and one that needs them nowhere", () => {
  const engine = { gpus: [gpu(0, 900)], freeBytes: 5000n };
  const at = (asks: string[], onGpus: boolean | undefined, gpusOnly = false) =>
    roomFor({ ...model(300n, ...asks), gpusOnly }, engine, onGpus).text;
  expect(at(["GPU"], true)).toBe("no room for it now: GPU 0 has 100 B free");
  expect(at(["GPU"], false)).toBe("room on processor");
  expect(at([], false)).toBe("room on processor");
  expect(at(["GPU"], undefined)).toBe("");
  expect(at(["GPU 3"], true)).toBe("no room for it now: GPU 0 has 100 B free");
  expect(at(["GPU 3", "CPU"], true)).toBe("room on processor");
  expect(at(["GPU"], true, true)).toBe("no room for it now: GPU 0 has 100 B free");
  expect(at(["GPU"], false, true)).toBe("no GPU here can run it");
  expect(
    roomFor({ ...model(300n, "GPU"), gpusOnly: true }, { gpus: [], freeBytes: 5000n }, true),
  ).toMatchObject({
    on: [],
    text: "no GPU here can run it",
  });
});
