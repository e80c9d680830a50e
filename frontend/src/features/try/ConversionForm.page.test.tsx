import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type InputDraft, newDraft, type Slot } from "../../requests/tryDrafts";
import { enter } from "../../testing/typing";
import { dialogIsOpen } from "../../window/dialogs";
import { DrawInput } from "./DrawInput";

let pane: HTMLElement;
let root: Root;
beforeEach(() => {
  pane = document.body.appendChild(document.createElement("section"));
  root = createRoot(pane);
});
afterEach(() => act(() => root.unmount()));

const slot: Slot = { spec: { name: "x", datatype: "FP32", shape: [3n, 32n, 32n] }, place: 0 };
const form = () => document.querySelector("[aria-label='Conversion for x']");
const link = () =>
  [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Change conversion");

test("the conversion floats over the window, not in the pane, and its keys still send", async () => {
  const patches: Partial<InputDraft>[] = [];
  const input = <DrawInput slot={slot} draft={newDraft(slot)} onChange={(patch) => patches.push(patch)} />;
  await act(async () => root.render(input));
  expect([form(), link()?.getAttribute("aria-expanded")]).toEqual([null, "false"]);
  await act(async () => link()?.click());
  expect(link()?.getAttribute("aria-expanded")).toBe("true");
  expect([pane.contains(form()), dialogIsOpen()]).toEqual([false, false]);
  const scale = [...(form()?.querySelectorAll("label") ?? [])].find((one) => one.textContent === "Scale");
  await act(async () => enter(scale?.querySelector("input") as HTMLInputElement, "2"));
  expect(patches.at(-1)?.conversion?.scale).toBe(2);
  await act(async () =>
    form()?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true })),
  );
  expect(form()).toBeNull();
});

test("a size that is typed is that of an input whose sides are open", async () => {
  const patches: Partial<InputDraft>[] = [];
  const open: Slot = { spec: { name: "x", datatype: "UINT8", shape: [-1n, -1n, 3n] }, place: 0 };
  const draft = { ...newDraft(open), shape: [300, 400, 3], sides: "file" as const };
  const input = <DrawInput slot={open} draft={draft} onChange={(patch) => patches.push(patch)} />;
  await act(async () => root.render(input));
  await act(async () => link()?.click());
  const width = [...(form()?.querySelectorAll("label") ?? [])].find((one) => one.textContent === "Width");
  await act(async () => enter(width?.querySelector("input") as HTMLInputElement, "100"));
  expect(patches.at(-1)).toMatchObject({
    ...{ shape: [300, 100, 3], sides: "typed" },
    conversion: { width: 100, height: 300 },
  });
});
