import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { DiscardConversionResponseSchema } from "../../api/conch_pb";
import { enter } from "../../testing/typing";
import { openDialog, useDialogs } from "../../window/dialogs";
import { button, event, press, showDialog, text } from "./shown";

const close = () =>
  act(async () => document.querySelector<HTMLButtonElement>("button[aria-label=Close]")?.click());

/** What is written there: the name of a sign is read only by who points at it. */
function wordsOf(of: HTMLElement): string {
  const copy = of.cloneNode(true) as HTMLElement;
  for (const sign of copy.querySelectorAll("svg")) sign.remove();
  return copy.textContent ?? "";
}

async function show() {
  const root = await showDialog({ versions: [{ version: 1n }], installed: true }, "digits");
  await vi.waitFor(() => expect(text()).toContain("Convert and compare"));
  return root;
}

afterEach(() => vi.restoreAllMocks());

test("a key that closes dialogs does not stop a conversion unasked", async () => {
  let signal: AbortSignal | undefined;
  vi.spyOn(clients.conversions, "convert").mockImplementation(async function* (_, options) {
    signal = options?.signal;
    yield event({ step: "running", done: 3, of: 8 });
    await new Promise((end) => options?.signal?.addEventListener("abort", end));
  });
  const root = await show();
  await press("Convert and compare");
  await close();
  expect(text()).toContain("The conversion still runs");
  expect(signal?.aborted).toBe(false);
  await press("Go on");
  expect(text()).not.toContain("The conversion still runs");
  await act(async () => openDialog("devices")); // of the palette
  expect([text().includes("The conversion still runs"), useDialogs.getState().open]).toEqual([
    true,
    "convert",
  ]);
  await press("Stop and close");
  expect(signal?.aborted).toBe(true);
  expect(document.querySelector("[role=dialog]")).toBeNull();
  await act(async () => openDialog("devices"));
  expect(useDialogs.getState().open).toBe("devices");
  await act(async () => root.unmount());
});

test("what is done now is read while it is done", async () => {
  vi.spyOn(clients.conversions, "convert").mockImplementation(async function* (_, options) {
    yield event({ step: "running the requests on both models", done: 3, of: 8 });
    await new Promise((end) => options?.signal?.addEventListener("abort", end));
  });
  const root = await show();
  await press("Convert and compare");
  const progress = () => document.querySelector("section[aria-label=Progress]") as HTMLElement;
  await vi.waitFor(() =>
    expect(wordsOf(progress())).toContain("Running the requests on both models (3 of 8)"),
  );
  await vi.waitFor(() => expect(wordsOf(progress())).toMatch(/\(3 of 8\) · \d s/));
  await press("Cancel");
  await vi.waitFor(() => expect(document.activeElement).toBe(button("Convert and compare")));
  await act(async () => root.unmount());
});

test("what asks whether a conversion is stopped goes as soon as it is done", async () => {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  vi.spyOn(clients.conversions, "convert").mockImplementation(async function* () {
    yield event({ step: "running" });
    await ended;
    yield event({ report: { id: "r1", target: "fp16", becomes: "version 2 of digits" } });
  });
  vi.spyOn(clients.conversions, "discardConversion").mockResolvedValue(
    create(DiscardConversionResponseSchema),
  );
  const root = await show();
  await press("Convert and compare");
  await close();
  expect(text()).toContain("The conversion still runs");
  let withReport = "";
  const report = () => document.querySelector("section[aria-label='What it costs and gains']");
  document.addEventListener("focusin", () => {
    if (document.activeElement === report()) withReport ||= text(); // it takes the focus as it comes
  });
  await act(async () => end());
  await vi.waitFor(() => expect(withReport).toContain("Write version 2 of digits"));
  expect(withReport).not.toContain("The conversion still runs");
  await press("Discard");
  await act(async () => root.unmount());
});

test("an error goes with what it was about: the choice that has changed since", async () => {
  vi.spyOn(clients.conversions, "convert").mockImplementation(async function* () {
    yield event({ log: "a line" });
    throw new Error("no operator Sofmax");
  });
  const root = await show();
  const field = () =>
    document.querySelector<HTMLInputElement>("input[aria-label='Operators that stay in FP32']");
  await act(async () => enter(field(), "Sofmax"));
  await press("Convert and compare");
  await vi.waitFor(() => expect(text()).toContain("No operator Sofmax"));
  expect(text()).toContain("Log (1)");
  await act(async () => enter(field(), "Softmax"));
  expect(text()).not.toMatch(/No operator|Log \(1\)/);
  await act(async () => root.unmount());
});
