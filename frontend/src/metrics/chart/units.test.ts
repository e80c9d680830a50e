import { expect, it } from "vitest";
import { bytes, milliseconds, percent, perSecond, plain } from "./units";

it.each([
  [perSecond, 90, ["0", "30/s", "60/s", "90/s"]],
  [perSecond, 30_000, ["0", "10k/s", "20k/s", "30k/s"]],
  [milliseconds, 0.6, ["0", "0.2 ms", "0.4 ms", "0.6 ms"]],
  [milliseconds, 4500, ["0", "1.5 s", "3 s", "4.5 s"]],
  [milliseconds, 180_000, ["0", "1 min", "2 min", "3 min"]],
  [percent, 45, ["0", "15 %", "30 %", "45 %"]],
  [bytes, 90e6, ["0", "30 MB", "60 MB", "90 MB"]],
  [bytes, 4.5e9, ["0", "1.5 GB", "3 GB", "4.5 GB"]],
  [plain, 9, ["0", "3", "6", "9"]],
])("labels have their unit: %#", (unit, max, expected) => {
  expect([0, max / 3, (max * 2) / 3, max].map(unit(max))).toEqual(expected);
});
