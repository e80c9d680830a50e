import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { InferResponseSchema } from "../../api/conch_pb";
import { traceOf } from "./trace";

test("a request's row runs from queue to output and says with whom it ran", () => {
  const response = create(InferResponseSchema, {
    timings: { roundTripNs: 200n },
    span: {
      receivedNs: 20n,
      queuedNs: 10n,
      endedNs: 130n,
      executions: [
        {
          instance: "m_0_1",
          requests: ["a", "", "b"],
          items: 3n,
          startNs: 40n,
          inputNs: 5n,
          inferNs: 60n,
          outputNs: 15n,
        },
      ],
    },
  });
  const trace = traceOf("m", response);
  expect(trace?.end).toBe(200); // as everywhere else, docs/design/README.md
  expect(trace?.rows[0]).toMatchObject({
    name: "m",
    from: 0,
    to: 200,
    notes: ["in m_0_1, batch of 3 from 3 requests (a, b)"],
  });
  expect(trace?.rows[0]?.stretches).toEqual([
    { stage: "rest", from: 0, to: 20 },
    { stage: "queue", from: 30, to: 60 },
    { stage: "input", from: 60, to: 65 },
    { stage: "infer", from: 65, to: 125 },
    { stage: "output", from: 125, to: 140 },
    { stage: "rest", from: 150, to: 200 },
  ]);
});

test("steps are below the ensemble, those of a nested ensemble one level deeper", () => {
  const span = { queuedNs: 1n, endedNs: 9n };
  const response = create(InferResponseSchema, {
    span: { queuedNs: 0n, endedNs: 20n },
    steps: [
      { step: 0, model: "inner", startNs: 1n, span, steps: [{ step: 2, model: "leaf", startNs: 2n, span }] },
      { step: 1, model: "cached", startNs: 9n, span: { ...span, cached: true } },
    ],
  });
  const rows = traceOf("outer", response)?.rows ?? [];
  expect(rows.map(({ depth, name }) => `${depth} ${name}`)).toEqual([
    "0 outer",
    "1 1 · inner",
    "2 1.3 · leaf",
    "1 2 · cached",
  ]);
  expect(rows.at(-1)?.notes).toEqual(["answered from the cache"]);
});

test("a call that runs on has a row up to the answer, and says so", () => {
  const response = create(InferResponseSchema, {
    timings: { roundTripNs: 200n },
    span: { receivedNs: 20n, endedNs: 130n, executions: [{ instance: "m_0" }] },
    steps: [{ step: 0, model: "slow", startNs: 30n, running: true, span: { queuedNs: 31n } }],
  });
  expect(traceOf("m", response)?.rows[1]).toMatchObject({
    name: "1 · slow",
    from: 50,
    to: 200,
    running: true,
    notes: ["it had not ended when the request was answered"],
  });
});

test("an engine that tells nothing leaves nothing to draw", () =>
  expect(traceOf("m", create(InferResponseSchema, {}))).toBeUndefined());
