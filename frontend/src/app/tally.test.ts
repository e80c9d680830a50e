import { expect, test } from "vitest";
import { ModelState } from "../api/conch_pb";
import { tally } from "./tally";

test("a model on an earlier load is not counted as ready", () => {
  const { READY, OLDER_SERVES } = ModelState;
  expect(tally([READY, READY, READY, OLDER_SERVES]).map(({ text }) => text)).toEqual([
    "3 ready",
    "1 on an earlier load",
  ]);
});

test("a model that waits for trust has not failed", () => {
  const { FAILED, UNTRUSTED } = ModelState;
  expect(tally([UNTRUSTED, FAILED, UNTRUSTED])).toEqual([
    { text: "1 failed", tone: "err", count: 1 },
    { text: "2 waiting for trust", tone: "warn", count: 2 },
  ]);
});

test("every model is counted once", () => {
  const all = Object.values(ModelState).filter((state) => typeof state === "number") as ModelState[];
  expect(tally(all).reduce((sum, { count }) => sum + count, 0)).toBe(all.length);
  expect(tally([])).toEqual([]);
});
