import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { InferResponseSchema } from "../../api/conch_pb";
import { patchTry } from "../../requests/tries";
import { failedStep } from "./failedStep";
import { TimeWent } from "./TimeWent";

const error = "in ensemble 'pair', the second one has no memory left";
const failed = create(InferResponseSchema, {
  ok: false,
  error,
  timings: { roundTripNs: 9_000_000n },
  steps: [
    { model: "first", step: 0, timings: { totalNs: 3_000_000n, inferNs: 3_000_000n }, span: {} },
    { model: "beside", step: 1, span: { error: "the request was given up" } },
    { model: "second", step: 2, startNs: 3_000_000n, span: { error: "the second one has no memory left" } },
  ],
});

test("a failed request shows the step that failed, with its error, and the times of those before it", async () => {
  expect(failedStep(failed)?.step.model).toBe("second");
  patchTry("pair", { answer: { at: 1, response: failed } });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () => root.render(<TimeWent model="pair" />));
  const rows = [...page.querySelectorAll("li")];
  expect(rows.map((row) => row.getAttribute("aria-label"))).toEqual([
    "first: 3.00 ms",
    "beside: given up",
    "second: failed",
  ]);
  expect(rows[2]?.title).toBe("The request failed here: the second one has no memory left");
  await act(async () => root.unmount());
});

test("an answer, and a request that was stopped, have no step that failed", () => {
  expect(failedStep({ ...failed, ok: true })).toBeUndefined();
  expect(failedStep({ ...failed, stopped: true })).toBeUndefined();
  expect(failedStep(undefined)).toBeUndefined();
});
