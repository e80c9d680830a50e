import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  type ConversionEvent,
  type ConversionReport,
  ConversionReportSchema,
  DescribeConversionResponseSchema,
  DiscardConversionResponseSchema,
  GetModelResponseSchema,
  WriteConversionResponseSchema,
} from "../../api/conch_pb";
import { patchTry } from "../../requests/tries";
import { enter } from "../../testing/typing";
import { closeDialog, openDialog } from "../../window/dialogs";
import { hold, useToasts } from "../../window/toasts";
import { keepChoice } from "./choices";
import { button, event, press, showDialog, text, tick } from "./shown";

const input = { name: "image", datatype: "FP32", shape: [-1n, 64n], input: true };
const here = create(DescribeConversionResponseSchema, {
  versions: [{ version: 1n, file: "model.onnx", bytes: 53_000n }],
  savedRequests: 3,
  installed: true,
  noTensorrt: "TensorRT is not installed",
  inputs: [input],
  maxBatchSize: 32,
});
const scores = { name: "scores", absolute: 0.001, relative: 0.002, cosine: 0.99, elements: 30n };
const report = event({
  report: {
    id: "r1",
    requests: 3,
    runs: 200,
    of: 1n,
    beforeMs: 0.0172,
    afterMs: 0.0086,
    beforeBytes: 1000n,
    afterBytes: 500n,
    outputs: [{ ...scores, rows: 3n, sameRows: 2n }],
    becomes: "version 2 of digits",
    version: 2n,
    target: "fp16",
    untilMs: 1_800_000_000_000n,
    serving: "Version 2 is served.",
  },
});
const waiting = report.report as ConversionReport;
const waits = (of = waiting) => create(DescribeConversionResponseSchema, { ...here, waiting: [of] });

const show = (described = here) => showDialog(described, "digits");

async function* told(...events: ConversionEvent[]) {
  yield* events;
}

beforeEach(() => hold(true)); // notices stay for as long as a test takes
afterEach(() => {
  keepChoice("digits", undefined);
  vi.restoreAllMocks();
});

test("the report is shown before anything is written, and waits while the dialog is closed", async () => {
  const convert = vi
    .spyOn(clients.conversions, "convert")
    .mockReturnValue(told(event({ step: "opening the model" }), event({ log: "a line" }), report));
  const write = vi.spyOn(clients.conversions, "writeConversion");
  const discard = vi
    .spyOn(clients.conversions, "discardConversion")
    .mockResolvedValue(create(DiscardConversionResponseSchema));
  const root = await show();
  await vi.waitFor(() => expect(text()).toContain("3 requests sent in Try"));
  await press("Convert and compare");
  expect(convert.mock.lastCall?.[0]).toMatchObject({ model: "digits", target: "fp16", withoutSaved: false });
  await vi.waitFor(() => expect(text()).toContain("2.0 times smaller"));
  const parts =
    "Version 1|17.2 µs|8.60 µs|2.0 times faster|on the processor of this machine|0.9900|2 of 3|Version 2 is served.|Log (1)";
  for (const part of parts.split("|")) expect(text()).toContain(part);
  expect(document.activeElement?.getAttribute("aria-label")).toBe("What it costs and gains");
  const name = button("Write version 2 of digits").querySelector("[class*=name]"); // in the mono face
  expect([button("Write version 2 of digits").disabled, name?.textContent]).toEqual([false, "digits"]);
  expect(write).not.toHaveBeenCalled();
  await act(async () => closeDialog());
  expect(discard).not.toHaveBeenCalled();
  expect(useToasts.getState().toasts.at(-1)?.text).toMatch(
    /^The new model of digits waits as long as Conch runs, until \d\d:\d\d at most:/,
  );
  vi.spyOn(clients.conversions, "describeConversion").mockResolvedValue(waits());
  await act(async () => openDialog("convert", "digits"));
  await vi.waitFor(() => expect(text()).toContain("2.0 times smaller"));
  expect(text()).toContain("FP16");
  expect(text()).toMatch(
    /It waits as long as Conch runs, until \d\d:\d\d at most, also when this is closed\./,
  );
  expect(text()).not.toContain("Convert and compare");
  await press("Discard");
  expect(discard).toHaveBeenCalledWith({ id: "r1" });
  await vi.waitFor(() => expect(text()).toContain("Convert and compare"));
  await act(async () => root.unmount());
});

test("what is written is what was said: a version that came meanwhile is told first", async () => {
  const now = create(ConversionReportSchema, {
    ...waiting,
    becomes: "version 3 of digits",
    version: 3n,
    serving: "Version 3 is served.",
  });
  const write = vi
    .spyOn(clients.conversions, "writeConversion")
    .mockRejectedValueOnce(new Error("Not version 2 any more but version 3"))
    .mockResolvedValue(create(WriteConversionResponseSchema, { model: "digits", version: 3n }));
  const root = await show(waits());
  await vi.waitFor(() => expect(text()).toContain("Write version 2 of digits"));
  vi.spyOn(clients.conversions, "describeConversion").mockResolvedValue(waits(now));
  await press("Write version 2 of digits");
  await vi.waitFor(() => expect(text()).toContain("Write version 3 of digits"));
  expect(text()).toMatch(/Version 3 is served\.[\s\S]*Not version 2 any more but version 3/);
  await press("Write version 3 of digits");
  expect(write.mock.calls.map(([of]) => of.version)).toEqual([2n, 3n]);
  await vi.waitFor(() => expect(document.querySelector("[role=dialog]")).toBeNull());
  await act(async () => root.unmount());
});

test("what is gone cannot be written: it is told, and the choice is shown again", async () => {
  vi.spyOn(clients.conversions, "writeConversion").mockRejectedValue(new Error("it waited for too long"));
  const root = await show(waits());
  await vi.waitFor(() => button("Write version 2 of digits"));
  vi.spyOn(clients.conversions, "describeConversion").mockResolvedValue(here);
  await press("Write version 2 of digits");
  await vi.waitFor(() => expect(text()).toContain("Convert and compare"));
  expect(useToasts.getState().toasts.at(-1)?.detail).toContain("waited for too long");
  await act(async () => root.unmount());
});

test("who closes the dialog right after Discard is not told that the new model waits", async () => {
  vi.spyOn(clients.conversions, "discardConversion").mockReturnValue(new Promise<never>(() => {}));
  const root = await show(waits());
  useToasts.setState({ toasts: [] });
  await vi.waitFor(() => button("Discard"));
  await press("Discard");
  await act(async () => root.unmount());
  expect(useToasts.getState().toasts).toEqual([]);
});

test("the request that is in Try now calibrates where none is saved", async () => {
  const convert = vi.spyOn(clients.conversions, "convert").mockReturnValue(told(report));
  vi.spyOn(clients.conversions, "discardConversion").mockResolvedValue(
    create(DiscardConversionResponseSchema),
  );
  vi.spyOn(clients.models, "getModel").mockResolvedValue(
    create(GetModelResponseSchema, { summary: { name: "digits" } }),
  );
  patchTry("digits", {
    mode: "json",
    json: '{"inputs":[{"name":"image","datatype":"FP32","shape":[1],"data":[3]}]}',
  });
  const root = await show(create(DescribeConversionResponseSchema, { ...here, savedRequests: 0 }));
  await vi.waitFor(() => expect(text()).toContain("Without a request nothing is compared."));
  await press("INT8");
  expect(text()).toContain("Without a request nothing is compared, and INT8 is not calibrated.");
  expect(text()).not.toContain("Calibrate on the requests");
  await tick("The one that is in Try now");
  expect(text()).toContain("Calibrate on the requests");
  expect(text()).not.toContain("Without a request");
  await press("Convert and compare");
  await vi.waitFor(() => expect(convert).toHaveBeenCalled());
  expect(convert.mock.lastCall?.[0]).toMatchObject({
    target: "int8",
    typed: [{ inputs: [{ name: "image" }] }],
  });
  await act(async () => root.unmount());
});

test("without any request sent, random values or a text calibrate", async () => {
  const convert = vi.spyOn(clients.conversions, "convert").mockReturnValue(told(report));
  vi.spyOn(clients.conversions, "discardConversion").mockResolvedValue(
    create(DiscardConversionResponseSchema),
  );
  const spec = { name: "image", datatype: "FP32", shape: [-1n, 64n], dims: [64n] };
  vi.spyOn(clients.models, "getModel").mockResolvedValue(
    create(GetModelResponseSchema, { summary: { name: "other" }, inputs: [spec], maxBatchSize: 32 }),
  );
  const root = await show(create(DescribeConversionResponseSchema, { ...here, savedRequests: 0 }));
  await vi.waitFor(() => expect(text()).toContain("Random values"));
  await tick("Random values");
  expect(text()).toContain("Random values are not your data");
  await tick("Written here");
  const area = document.querySelector<HTMLTextAreaElement>("textarea");
  await act(async () => enter(area, '[{"inputs":[]}]'));
  await press("Convert and compare");
  await vi.waitFor(() => expect(convert).toHaveBeenCalled());
  const request = convert.mock.lastCall?.[0];
  expect(request?.json).toBe('[{"inputs":[]}]');
  expect(request?.typed).toHaveLength(8);
  const raws = request?.typed?.map(({ inputs }) => String(inputs?.[0]?.data?.value));
  expect(new Set(raws).size).toBe(8);
  expect(request?.typed?.[0]?.inputs?.[0]).toMatchObject({ name: "image", shape: [1n, 64n] });
  await act(async () => root.unmount());
});

test("the tools are installed when a person says so; a missing TensorRT is told", async () => {
  const install = vi
    .spyOn(clients.conversions, "installConverter")
    .mockReturnValue(told(event({ step: "installing" })));
  const root = await show(
    create(DescribeConversionResponseSchema, {
      ...here,
      installed: false,
      packages: ["onnx==1"],
      weight: "75 MiB",
    }),
  );
  await vi.waitFor(() => expect(text()).toContain("pip downloads onnx==1"));
  expect(install).not.toHaveBeenCalled();
  expect(text()).not.toContain("Convert and compare");
  await press("Install the tools");
  expect(install).toHaveBeenCalledTimes(1);
  await press("TensorRT");
  expect(text()).toContain("TensorRT is not installed");
  await act(async () => root.unmount());
});
