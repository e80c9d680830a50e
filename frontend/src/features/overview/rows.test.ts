import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ModelState, ModelSummarySchema } from "../../api/conch_pb";
import { noteOf, serves, sortModels } from "./rows";
import { means, pathOf } from "./spark";

const model = (name: string, state: ModelState, more = {}) =>
  create(ModelSummarySchema, { name, state, p50Ms: Number.NaN, ...more });
const models = [
  model("zeta", ModelState.READY, { requestsPerSecond: 5, p50Ms: 2 }),
  model("fails", ModelState.FAILED, { reason: "no file" }),
  model("alpha", ModelState.UNLOADED, { reason: "not asked for" }),
  model("pipe", ModelState.OLDER_SERVES, { ensemble: true, requestsPerSecond: 9, p50Ms: 1 }),
];
const names = (key: Parameters<typeof sortModels>[1]) => sortModels(models, key).map(({ name }) => name);

it("sorts by what works, or by a column", () => {
  expect(names("state")).toEqual(["pipe", "zeta", "fails", "alpha"]);
  expect(names("name")).toEqual(["alpha", "fails", "pipe", "zeta"]);
  expect(names("rate")).toEqual(["pipe", "zeta", "alpha", "fails"]);
  expect(names("p50")).toEqual(["zeta", "pipe", "alpha", "fails"]);
});

it("explains only what is out of the ordinary", () => {
  expect(models.map(noteOf)).toEqual(["", "no file", "", ""]);
  expect(models.map(serves)).toEqual([true, false, false, true]);
});

it("draws small lines with holes", () => {
  expect(pathOf([0, 1, Number.NaN, 1], 30, 20)).toBe("M0.0 18.0L10.0 6.0M30.0 6.0");
  expect(pathOf([], 30, 20)).toBe("");
  expect(means([1, 3, Number.NaN, 5, 7], 3)).toEqual([2, 5, 7]);
  expect(means([1, 2], 3)).toEqual([1, 2]);
});
