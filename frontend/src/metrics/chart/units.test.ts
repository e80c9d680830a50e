import { expect, it } from "vitest";
import { axisTop } from "./scales";
import { memory, milliseconds, percent, perSecond, plain } from "./units";

it.each([
  [perSecond, 90, ["0", "30/s", "60/s", "90/s"]],
  [perSecond, 30_000, ["0", "10k/s", "20k/s", "30k/s"]],
  [milliseconds, 0.6, ["0", "200 µs", "400 µs", "600 µs"]],
  [milliseconds, 1.5, ["0", "0.5 ms", "1 ms", "1.5 ms"]],
  [milliseconds, 4500, ["0", "1.5 s", "3 s", "4.5 s"]],
  [milliseconds, 180_000, ["0", "1 min", "2 min", "3 min"]],
  [percent, 45, ["0", "15 %", "30 %", "45 %"]],
  [memory, 90 * 1024 ** 2, ["0", "30 MiB", "60 MiB", "90 MiB"]],
  [memory, 900 * 1024 ** 2, ["0", "300 MiB", "600 MiB", "900 MiB"]],
  [memory, 4.5 * 1024 ** 3, ["0", "1.5 GiB", "3 GiB", "4.5 GiB"]],
  [plain, 9, ["0", "3", "6", "9"]],
])("labels have their unit: %#", (unit, max, expected) => {
  expect([0, max / 3, (max * 2) / 3, max].map(unit(max))).toEqual(expected);
});

it.each([
  [0, ["0", "1 B", "2 B", "3 B"]],
  [5 * 1024, ["0", "2 KiB", "4 KiB", "6 KiB"]],
  [860 * 1024 ** 2, ["0", "300 MiB", "600 MiB", "900 MiB"]],
  [870 * 1024 ** 2, ["0", "0.3 GiB", "0.6 GiB", "0.9 GiB"]],
  [1000 * 1024 ** 2, ["0", "0.4 GiB", "0.8 GiB", "1.2 GiB"]],
  [80 * 1024 ** 3, ["0", "30 GiB", "60 GiB", "90 GiB"]],
])("an axis of memory up to %d has round numbers of its unit", (value, expected) => {
  const max = axisTop(value, { base: memory.base?.(value) });
  expect([0, max / 3, (max * 2) / 3, max].map(memory(max))).toEqual(expected);
});
