import { expect, test } from "vitest";
import { parseSettings } from "./settings";

test("takes what is well formed and leaves the rest", () => {
  const values = { theme: '"dark"', sidebar: "7", panes: '{"sidebar": 300, "try": "x"}', other: "1" };
  expect(parseSettings(values)).toEqual({ theme: "dark", panes: { sidebar: 300 } });
  expect([parseSettings({ zoom: "125" }), parseSettings({ zoom: "20" })]).toEqual([{ zoom: 125 }, {}]);
});
test("survives text that is not JSON", () =>
  expect(parseSettings({ theme: "{", panes: "null" })).toEqual({}));
