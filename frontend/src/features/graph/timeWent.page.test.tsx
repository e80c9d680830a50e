import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import {
  InferResponseSchema,
  ModelSummarySchema,
  type ProfileSchema,
  StepTimingSchema,
  TimingsSchema,
} from "../../api/conch_pb";
import { patchTry } from "../../requests/tries";
import { usePlace } from "../../window/place";
import { useWorkspace } from "../../workspace/workspace";
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

test("the row of a step that runs in a process leads to its profile, which is asked for where there is none", async () => {
  const timings = create(TimingsSchema, { totalNs: 1000n, roundTripNs: 2000n });
  const steps = ["clean", "digits"].map((model, step) => create(StepTimingSchema, { step, model, timings }));
  const models = [
    create(ModelSummarySchema, { name: "clean", kind: "Python" }),
    create(ModelSummarySchema, { name: "digits", kind: "ONNX" }),
  ];
  useWorkspace.setState({ models: new Map(models.map((model) => [model.name, model])) });
  const answer = (...profiles: MessageInitShape<typeof ProfileSchema>[]) =>
    patchTry("read", {
      answer: {
        at: 1,
        response: create(InferResponseSchema, { ok: true, steps, span: {}, timings, profiles }),
      },
    });
  const asked = vi.fn();
  const page = document.createElement("div");
  const root = createRoot(page);
  const press = () => act(async () => page.querySelector("button")?.click());
  answer();
  await act(async () => root.render(<TimeWent model="read" onProfile={asked} />));
  expect([...page.querySelectorAll("button")].map(({ ariaLabel }) => ariaLabel)).toEqual([
    "Profile of clean",
  ]);
  await press();
  expect(asked).toHaveBeenCalledWith("clean");
  usePlace.setState({ model: "read", modelTab: "try" });
  await act(async () => answer({ model: "clean", instance: "clean_0" }));
  await press();
  expect(asked).toHaveBeenCalledTimes(1);
  expect(usePlace.getState()).toMatchObject({ model: "clean", modelTab: "debug" });
  await act(async () => root.unmount());
});
