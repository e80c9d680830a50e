import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { MetricSummarySchema, ModelState, ModelSummarySchema } from "../../api/conch_pb";
import { noteOf, serves, sortModels } from "./rows";
import { dotsOf, pathOf } from "./spark";

const model = (name: string, state: ModelState, more = {}) =>
  create(ModelSummarySchema, { name, state, ...more });
const models = [
  model("zeta", ModelState.READY, { requestsPerSecond: 5 }),
  model("fails", ModelState.FAILED, { reason: "no file" }),
  model("alpha", ModelState.UNLOADED, { reason: "not asked for" }),
  model("pipe", ModelState.OLDER_SERVES, { ensemble: true, requestsPerSecond: 9 }),
];
const inRange = new Map(
  [
    { model: "zeta", p50Ms: 2, requests: 5n },
    { model: "pipe", p50Ms: 1, requests: 90n, failures: 1n },
  ].map((summary) => [summary.model, create(MetricSummarySchema, summary)]),
);
const names = (key: Parameters<typeof sortModels>[1]) =>
  sortModels(models, key, inRange).map(({ name }) => name);

it("sorts failed models first, then by what works, or by a column", () => {
  expect(names("state")).toEqual(["fails", "pipe", "zeta", "alpha"]);
  expect(names("name")).toEqual(["alpha", "fails", "pipe", "zeta"]);
  expect(names("rate")).toEqual(["pipe", "zeta", "alpha", "fails"]);
  expect(names("p50")).toEqual(["zeta", "pipe", "alpha", "fails"]);
  expect(names("requests")).toEqual(["pipe", "zeta", "alpha", "fails"]);
  expect(names("failures")[0]).toBe("pipe");
});

it("sorts models that wait for trust behind failed ones, and gives the reason", () => {
  const waits = model("a", ModelState.UNTRUSTED, { reason: "not trusted" });
  expect(sortModels([...models, waits], "state").map(({ name }) => name)).toEqual([
    "fails",
    "a",
    "pipe",
    "zeta",
    "alpha",
  ]);
  expect(noteOf(waits)).toBe("not trusted");
});

it("explains only what is out of the ordinary", () => {
  expect(models.map(noteOf)).toEqual(["", "no file", "", ""]);
  expect(models.map(serves)).toEqual([true, false, false, true]);
});

it("draws small lines with holes", () => {
  expect(pathOf([0, 1, Number.NaN, 1, 0], 40, 20)).toBe("M0.0 18.0L10.0 6.0M30.0 6.0L40.0 18.0");
  expect(pathOf([1, Number.NaN, 1], 20, 20)).toBe("");
  expect(dotsOf([1, Number.NaN, 1], 20, 20)).toBe("M0.0 6.0h0M20.0 6.0h0");
  expect(dotsOf([0, 1, Number.NaN, 1, 0], 40, 20)).toBe("");
  expect(pathOf([], 30, 20)).toBe("");
});
