import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isPress, type Key, keyGroups, keys, readable } from "./keys";

test("a key is read as people write it, on a Mac with its signs", () => {
  const read = (mac: boolean) =>
    [keys.outline, keys.back, keys.keys, keys.smaller, keys.moveLine, keys.leave].map((key: Key) =>
      readable(key, mac),
    );
  expect(read(false)).toEqual(["Ctrl Shift O", "Alt ←", "F1", "Ctrl −", "Alt ↑ or Alt ↓", "Esc, then Tab"]);
  expect(read(true)).toEqual(["⇧⌘O", "⌃−", "F1", "⌘−", "⌥↑ or ⌥↓", "Esc, then Tab"]);
});

const pressed = (key: Key, init: KeyboardEventInit, mac = false) =>
  isPress(new KeyboardEvent("keydown", init), key, mac);

test("a key is only itself: other modifiers are other keys", () => {
  expect(pressed(keys.palette, { key: "k", ctrlKey: true })).toBe(true);
  expect(pressed(keys.palette, { key: "K", ctrlKey: true })).toBe(true);
  expect(pressed(keys.palette, { key: "k", metaKey: true })).toBe(false);
  expect(pressed(keys.palette, { key: "k" })).toBe(false);
  expect(pressed(keys.palette, { key: "k", ctrlKey: true, shiftKey: true })).toBe(false);
});

test("on a Mac the command key is meant, and back and forward have their own keys", () => {
  expect(pressed(keys.palette, { key: "k", metaKey: true }, true)).toBe(true);
  expect(pressed(keys.palette, { key: "k", ctrlKey: true }, true)).toBe(false);
  expect(pressed(keys.back, { key: "-", ctrlKey: true }, true)).toBe(true);
  expect(pressed(keys.forward, { key: "_", ctrlKey: true, shiftKey: true }, true)).toBe(true);
  expect(pressed(keys.back, { key: "ArrowLeft", altKey: true }, true)).toBe(false);
});

test("a sign is meant wherever a keyboard has it", () => {
  for (const init of [{ key: "+" }, { key: "=" }, { key: "+", shiftKey: true }])
    expect(pressed(keys.larger, { ...init, ctrlKey: true })).toBe(true);
  expect(pressed(keys.fix, { key: ".", ctrlKey: true, shiftKey: true })).toBe(true);
  expect(pressed(keys.smaller, { key: "-", ctrlKey: true })).toBe(true);
});

test("every key is listed, and no two of a group, or of what works everywhere, are the same", () => {
  const [everywhere, ...groups] = keyGroups;
  const all = (listed: readonly Key[] = []) => listed.flatMap(({ press, also = [] }) => [press, ...also]);
  for (const group of groups) {
    const presses = all([...(everywhere?.keys ?? []), ...group.keys]);
    expect(presses.filter((press, at) => presses.indexOf(press) < at)).toEqual([]);
  }
  const listed = keyGroups.flatMap((group) => group.keys);
  expect(Object.values(keys).filter((key) => !listed.includes(key))).toEqual([]);
});

const sources = join(import.meta.dirname, "..");
const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter(
  (path) => /\.tsx?$/.test(path) && !path.includes(".test.") && path !== "window/keys.ts",
);

test("no key with a modifier, and no function key, is bound or named outside the table", () => {
  const wrong = files.flatMap((path) => {
    const lines = readFileSync(join(sources, path), "utf8").split("\n");
    return lines
      .filter((line) => OWN_KEY.test(line) && !CLICK.test(line))
      .map((line) => `${path}: ${line.trim()}`);
  });
  expect(wrong).toEqual([]);
});

const OWN_KEY = /\b(event|nativeEvent)\.(ctrlKey|metaKey)|"F\d+"|["`(](Ctrl|Alt|Shift|Mod)[ +-]/;
/** The modifier of a click, or of a key that the table does not know with it. */
const CLICK = /event\.button|event\.key !== "Enter"/;
