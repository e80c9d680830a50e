import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  InferResponseSchema,
  SpanSchema,
  type StepTiming,
  StepTimingSchema,
  TimingsSchema,
} from "../api/conch_pb";
import { longestWay, partNames, requestTime, stepTime } from "./requestTime";

const timings = (...ns: number[]) => {
  const [queueNs = 0n, inputNs = 0n, inferNs = 0n, outputNs = 0n, totalNs = 0n, roundTripNs = 0n] =
    ns.map(BigInt);
  return create(TimingsSchema, { queueNs, inputNs, inferNs, outputNs, totalNs, roundTripNs });
};
const step = (model: string, start: number, took: number, steps: StepTiming[] = []) =>
  create(StepTimingSchema, {
    model,
    startNs: BigInt(start),
    timings: timings(took / 10, took / 10, took / 2, took / 10, took),
    steps,
  });
const timeOf = (whole: ReturnType<typeof timings>, steps: StepTiming[] = []) =>
  requestTime(create(InferResponseSchema, { ok: true, timings: whole, steps }));
const sum = (parts: readonly { ns: number }[]) => parts.reduce((all, { ns }) => all + ns, 0);

it("knows no parts where only the whole was measured, as of a server elsewhere", () => {
  expect(timeOf(timings(0, 0, 0, 0, 0, 4_070_000))).toEqual({ totalNs: 4_070_000, parts: [] });
});

describe("the parts of a request add up to its total", () => {
  const parallel = [
    step("prepare", 0, 100),
    step("left", 110, 500),
    step("right", 112, 800),
    step("join", 930, 40),
  ];
  const nested = [step("outer", 0, 900, [step("a", 10, 300), step("b", 320, 500)])];
  it.each([
    ["one model", timings(40, 30, 310, 50, 430, 900), []],
    ["an answer from the cache", timings(0, 0, 0, 0, 12, 500), []],
    ["an ensemble", timings(0, 144, 720, 144, 970, 1300), parallel],
    ["an ensemble in an ensemble", timings(0, 80, 400, 80, 900, 1300), nested],
    ["an older entry without a round trip", timings(40, 30, 310, 50, 480), []],
    ["clocks that disagree", timings(40, 30, 900, 50, 1020, 1000), []],
  ])("%s", (_, whole, steps) => {
    const time = timeOf(whole, steps);
    expect(time?.totalNs).toBe(Number(whole.roundTripNs || whole.totalNs));
    expect(time?.parts.map(({ name }) => name)).toEqual(partNames);
    expect(sum(time?.parts ?? [])).toBe(time?.totalNs);
    for (const { ns } of time?.parts ?? []) expect(ns).toBeGreaterThanOrEqual(0);
  });

  it("counts what a decoupled model does until its last answer as inference", () => {
    const span = create(SpanSchema, { executions: [{}] });
    const whole = { ok: true, timings: timings(10, 20, 300, 40, 9000, 9500), span };
    const inferOf = (decoupled: boolean) =>
      requestTime(create(InferResponseSchema, { ...whole, decoupled }))?.parts.map(({ ns }) => ns);
    expect(inferOf(true)).toEqual([10, 20, 8930, 40, 500]);
    expect(inferOf(false)).toEqual([10, 20, 300, 40, 9130]);
  });

  it("counts steps that run side by side once", () => {
    expect(longestWay(parallel).map(({ model }) => model)).toEqual(["join", "right", "prepare"]);
    const infer = timeOf(timings(0, 144, 720, 144, 970, 1300), parallel)?.parts.find(
      ({ name }) => name === "infer",
    );
    expect(infer?.ns).toBe(50 + 400 + 20);
  });

  it("gives an ensemble in an ensemble the stages of its own steps", () => {
    const { totalNs, parts } = stepTime(nested[0] as StepTiming);
    expect(parts).toContainEqual({ name: "infer", ns: 150 + 250 });
    expect([totalNs, sum(parts)]).toEqual([900, 900]);
  });

  it("gives a model that called others its own stages, which the calls are part of", () => {
    const span = create(SpanSchema, { executions: [{ inferNs: 310n }] });
    const called = [step("called", 100, 200)];
    const response = create(InferResponseSchema, {
      ok: true,
      timings: timings(40, 30, 310, 50, 430, 900),
      steps: called,
      span,
    });
    expect(requestTime(response)?.parts).toContainEqual({ name: "infer", ns: 310 });
    const outer = create(StepTimingSchema, { timings: timings(40, 30, 310, 50, 430), steps: called, span });
    expect(stepTime(outer).parts).toContainEqual({ name: "infer", ns: 310 });
  });

  it("knows nothing of a request that was not measured", () => {
    expect(timeOf(timings())).toBeUndefined();
    expect(requestTime(create(InferResponseSchema, {}))).toBeUndefined();
  });
});
