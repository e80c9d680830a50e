import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { InferResponseSchema, StepTimingSchema, TimingsSchema } from "../../api/conch_pb";
import { patchTry } from "../../requests/tries";
import { TimeWent } from "./TimeWent";

test("the step of a model that runs twice is apart from its name, and is not cut with it", async () => {
  const timings = create(TimingsSchema, { totalNs: 1000n, roundTripNs: 2000n });
  const steps = [0, 1].map((step) => create(StepTimingSchema, { step, model: "yolov8x640", timings }));
  const response = create(InferResponseSchema, { ok: true, steps, span: {}, timings });
  patchTry("five", { answer: { at: 1, response } });
  const page = document.createElement("div");
  const root = createRoot(page);
  await act(async () => root.render(<TimeWent model="five" />));
  const rows = [...page.querySelectorAll("li")];
  expect(
    rows.map((row) =>
      [...(row.firstElementChild?.children ?? [])].map((e) => (e.firstElementChild ?? e).textContent),
    ),
  ).toEqual([
    ["yolov8x640", "(step 1)"],
    ["yolov8x640", "(step 2)"],
  ]);
  expect(rows.map((row) => row.ariaLabel?.split(":")[0])).toEqual([
    "yolov8x640 (step 1)",
    "yolov8x640 (step 2)",
  ]);
  await act(async () => root.unmount());
});
