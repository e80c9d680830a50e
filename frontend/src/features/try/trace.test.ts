import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { InferResponseSchema } from "../../api/conch_pb";
import { traceOf } from "./trace";

test("a request's row runs from queue to output and says with whom it ran", () => {
  const response = create(InferResponseSchema, {
    span: {
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
  expect(trace?.end).toBe(130);
  expect(trace?.rows[0]).toMatchObject({
    name: "m",
    from: 0,
    to: 130,
    notes: ["in m_0_1, batch of 3 from 3 requests (a, b)"],
  });
  expect(trace?.rows[0]?.stretches).toEqual([
    { stage: "queue", from: 10, to: 40 },
    { stage: "input", from: 40, to: 45 },
    { stage: "infer", from: 45, to: 105 },
    { stage: "output", from: 105, to: 120 },
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
    "1 0 · inner",
    "2 2 · leaf",
    "1 1 · cached",
  ]);
  expect(rows.at(-1)?.notes).toEqual(["answered from the cache"]);
});

test("an engine that tells nothing leaves nothing to draw", () =>
  expect(traceOf("m", create(InferResponseSchema, {}))).toBeUndefined());
