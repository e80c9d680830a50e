import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { useSettings, zooms } from "../window/settings";
import { followZoom } from "../window/zoom";
import { useShortcuts } from "./useShortcuts";

const shown: number[] = [];
const desktop = { Native: { SetZoom: async (percent: number) => void shown.push(percent) } };

function Keys() {
  useShortcuts();
  return null;
}

/** Presses Ctrl and a key; reports whether the page took it. */
const press = (key: string) =>
  !window.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey: true, cancelable: true }));

beforeEach(async () => {
  vi.spyOn(clients.workspace, "setSettings").mockResolvedValue({} as never);
  await act(async () => createRoot(document.createElement("div")).render(<Keys />));
});
afterEach(() => vi.unstubAllGlobals());

test("in the desktop window Ctrl with plus, minus and 0 change the size of everything, step by step to its ends", () => {
  vi.stubGlobal("go", { desktop });
  followZoom();
  expect([press("+"), press("=")]).toEqual([true, true]);
  expect(shown).toEqual([110, 125]);
  for (let i = 0; i < zooms.length; i++) press("+");
  expect(useSettings.getState().zoom).toBe(200);
  for (let i = 0; i < zooms.length; i++) press("-");
  expect(useSettings.getState().zoom).toBe(80);
  press("0");
  expect(shown.at(-1)).toBe(100);
});

test("in a browser these keys are the browser's", () => {
  expect([press("+"), press("-"), press("0")]).toEqual([false, false, false]);
});
