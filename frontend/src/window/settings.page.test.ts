import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { SetSettingsResponseSchema } from "../api/conch_pb";
import { followSettings, loadSettings, setPaneSize, setSetting, useSettings } from "./settings";

let asked: (() => void)[] = [];
const kept = vi
  .spyOn(clients.workspace, "setSettings")
  .mockImplementation(
    () => new Promise((resolve) => asked.push(() => resolve(create(SetSettingsResponseSchema)))),
  );
const widths = () => kept.mock.calls.map(([{ values }]) => values?.panes);
const answered = async () => {
  for (const answer of asked) answer();
  asked = [];
  await new Promise((done) => setTimeout(done));
};

let leave = () => {};
beforeEach(() => {
  leave = followSettings();
});
afterEach(async () => {
  await answered();
  leave();
  kept.mockClear();
});

function see(seen: boolean): void {
  vi.spyOn(document, "hidden", "get").mockReturnValue(!seen);
  document.dispatchEvent(new Event("visibilitychange"));
}

test("a width is kept at once: a window that closes says nothing before", () => {
  setPaneSize("try", 420);
  expect(widths()).toEqual(['{"try":420}']);
});

test("those that are set before the answer are kept together", async () => {
  for (const width of [421, 422, 423]) setPaneSize("try", width);
  await answered();
  expect(widths()).toEqual(['{"try":421}', '{"try":423}']);
  await answered();
  expect(kept).toHaveBeenCalledTimes(2);
});

test.each([
  ["the page goes away", () => window.dispatchEvent(new Event("pagehide"))],
  ["its tab is left", () => see(false)],
])("what waits is kept when %s", async (_, goes) => {
  setPaneSize("try", 424);
  setPaneSize("try", 425);
  goes();
  expect(widths()).toEqual(['{"try":424}', '{"try":425}']);
  await answered();
  goes(); // nothing waits now
  expect(kept).toHaveBeenCalledTimes(2);
});

test("what waits goes on waiting when the tab is seen again", () => {
  setPaneSize("try", 426);
  setPaneSize("try", 427);
  see(true);
  expect(widths()).toEqual(['{"try":426}']);
});

test("what is changed before the app tells what it kept stays", async () => {
  let answer = (_: unknown) => {};
  vi.spyOn(clients.workspace, "getSettings").mockReturnValue(
    new Promise((resolve) => (answer = resolve)) as never,
  );
  const loading = loadSettings();
  setSetting("theme", "light");
  answer({ values: { theme: '"dark"', zoom: "125" } });
  await loading;
  expect(useSettings.getState()).toMatchObject({ theme: "light", zoom: 125 });
});
