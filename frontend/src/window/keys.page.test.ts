import { expect, test } from "vitest";
import { isPress, keyGroups, keys, readable } from "./keys";

test("a key is read as people write it", () => {
  expect([keys.outline, keys.back, keys.keys].map(readable)).toEqual(["Ctrl Shift O", "Alt ←", "F1"]);
});
test("a key is only itself: other modifiers are other keys", () => {
  const pressed = (init: KeyboardEventInit) => isPress(new KeyboardEvent("keydown", init), keys.palette);
  expect(pressed({ key: "k", ctrlKey: true })).toBe(true);
  expect(pressed({ key: "K", metaKey: true })).toBe(true);
  expect(pressed({ key: "k" })).toBe(false);
  expect(pressed({ key: "k", ctrlKey: true, shiftKey: true })).toBe(false);
});
test("every key is listed, and no two are the same", () => {
  const listed = keyGroups.flatMap((group) => group.keys);
  expect(listed).toHaveLength(Object.keys(keys).length);
  expect(new Set(listed.map(({ press }) => press)).size).toBe(listed.length);
});
