import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { InferResponseSchema, StepTimingSchema, TimingsSchema } from "../../api/conch_pb";
import { waterfallOf } from "./waterfall";

const step = (index: number, model: string, start: number, took: number) =>
  create(StepTimingSchema, {
    step: index,
    model,
    startNs: BigInt(start),
    timings: create(TimingsSchema, { totalNs: BigInt(took), inferNs: BigInt(took) }),
  });
const response = (...steps: ReturnType<typeof step>[]) =>
  create(InferResponseSchema, {
    ok: true,
    steps,
    span: { receivedNs: 100_000n },
    timings: create(TimingsSchema, { totalNs: 800_000n, roundTripNs: 1_000_000n }),
  });

it("tells where the time went", () => {
  const fall = waterfallOf(response(step(0, "a", 0, 250_000), step(1, "b", 250_000, 500_000)));
  expect(fall?.rows.map(({ name, left, width }) => [name, left, width])).toEqual([
    ["a", 10, 25],
    ["b", 35, 50],
  ]);
  expect(fall?.phrase).toBe("one step after another");
  expect(fall?.totalMs).toBe(1);
});

it("draws a call that runs on up to the answer", () => {
  const running = create(StepTimingSchema, { step: 1, model: "b", startNs: 100_000n, running: true });
  const fall = waterfallOf(response(step(0, "a", 0, 250_000), running));
  expect(fall?.rows.map((row) => [row.left, row.width, row.running])).toEqual([
    [10, 25, false],
    [20, 80, true],
  ]);
  expect(fall?.phrase).toBe("two steps side by side");
});

it("counts steps side by side, and tells twins apart", () => {
  const fall = waterfallOf(response(step(0, "a", 0, 10), step(1, "b", 10, 500), step(2, "b", 10, 400)));
  expect(fall?.phrase).toBe("two steps side by side");
  expect(fall?.rows.map(({ name, which }) => [name, which])).toEqual([
    ["a", ""],
    ["b", "(step 2)"],
    ["b", "(step 3)"],
  ]);
  expect(waterfallOf(response())).toBeUndefined();
});
