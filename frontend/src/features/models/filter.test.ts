import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ModelState, type ModelSummary, ModelSummarySchema } from "../../api/conch_pb";
import { linesOf } from "./filter";

const model = (name: string, kind = "ONNX", state = ModelState.READY): ModelSummary =>
  create(ModelSummarySchema, { name, kind, state, ensemble: kind === "Ensemble" });

const models = [
  model("digits_10"),
  model("digits_9"),
  model("read", "Ensemble"),
  model("post", "Python", ModelState.FAILED),
];

const drawn = (filter: string) =>
  linesOf(models, filter).map((line) =>
    line.type === "group" ? `${line.label} ${line.count}` : line.model.name,
  );

test("ensembles first, names in the order people count", () =>
  expect(drawn("")).toEqual(["Ensembles 1", "read", "Models 3", "digits_9", "digits_10", "post"]));
test("part of a name", () => expect(drawn("DIG")).toEqual(["Models 2", "digits_9", "digits_10"]));
test("a kind", () => expect(drawn("python")).toEqual(["Models 1", "post"]));
test("a state", () => expect(drawn("failed")).toEqual(["Models 1", "post"]));
test("words together", () => expect(drawn("ready digits 9")).toEqual(["Models 1", "digits_9"]));
test("nothing", () => expect(drawn("zzz")).toEqual([]));

test("of 5,000 models each is looked at once", () => {
  let looks = 0;
  const many = Array.from({ length: 5000 }, (_, i) =>
    Object.defineProperty(model(""), "name", {
      get: () => {
        looks++;
        return `model_${i}`;
      },
    }),
  );
  expect(linesOf(many, "model_4999")).toHaveLength(2);
  expect(looks).toBe(5000);
});
