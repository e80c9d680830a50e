import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ModelState, type ModelSummary, ModelSummarySchema } from "../../api/conch_pb";
import { brokenPart } from "./NotLoaded";

const model = (name: string, state: ModelState, uses: string[] = []) =>
  create(ModelSummarySchema, { name, state, uses });
const brokenOf = (...models: [ModelSummary, ...ModelSummary[]]) =>
  brokenPart(new Map(models.map((one) => [one.name, one])), models[0])?.name;

const { FAILED, NOT_RUNNABLE, UNLOADED } = ModelState;

it("finds the part that failed or cannot run here, of an unloaded ensemble too", () => {
  expect(brokenOf(model("all", UNLOADED, ["a", "b"]), model("a", UNLOADED), model("b", FAILED))).toBe("b");
  expect(brokenOf(model("all", UNLOADED, ["a"]), model("a", NOT_RUNNABLE))).toBe("a");
  expect(brokenOf(model("all", UNLOADED, ["a"]), model("a", UNLOADED))).toBeUndefined();
});

it("finds the cause in an ensemble of the ensemble, and survives circles", () => {
  const inner = model("inner", FAILED, ["deep", "all"]);
  expect(brokenOf(model("all", UNLOADED, ["inner"]), inner, model("deep", FAILED))).toBe("deep");
  expect(brokenOf(model("all", UNLOADED, ["all"]))).toBeUndefined();
  expect(brokenOf(model("all", FAILED, ["all"]))).toBeUndefined();
  expect(brokenOf(model("all", FAILED, ["other"]), model("other", FAILED, ["all"]))).toBe("other");
});
