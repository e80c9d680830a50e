import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { SetSettingsResponseSchema } from "../api/conch_pb";
import { followSettings, setPaneSize } from "./settings";

const kept = vi.spyOn(clients.workspace, "setSettings").mockResolvedValue(create(SetSettingsResponseSchema));
const widths = () => kept.mock.calls.map(([{ values }]) => values?.panes);

let leave = () => {};
beforeEach(() => {
  vi.useFakeTimers();
  kept.mockClear();
  leave = followSettings();
});
afterEach(() => {
  leave();
  vi.useRealTimers();
});

test("a width that is set just before the window closes is kept", () => {
  setPaneSize("try", 421);
  window.dispatchEvent(new Event("pagehide"));
  expect(widths()).toEqual(['{"try":421}']);
  vi.runAllTimers();
  window.dispatchEvent(new Event("pagehide")); // nothing waits now
  expect(kept).toHaveBeenCalledTimes(1);
});

test("so is one that is set just before its tab is left", () => {
  setPaneSize("try", 422);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(widths()).toEqual(['{"try":422}']);
});

test("many changes are kept together", () => {
  for (const width of [423, 424, 425]) setPaneSize("try", width);
  vi.runAllTimers();
  expect(widths()).toEqual(['{"try":425}']);
});
