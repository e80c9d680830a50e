import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ModelState, ModelSummarySchema } from "../../api/conch_pb";
import { factsOf } from "./Facts";
import { modelMenu, moreMenu } from "./menu";

const model = create(ModelSummarySchema, { name: "digits", state: ModelState.READY, reload: "on-save" });
const labels = (groups: ReturnType<typeof modelMenu>) => groups.flat().map(({ label }) => label);

test("only one action of a model is called Reload, and the dots do not repeat the buttons beside them", () => {
  expect(labels(modelMenu(model)).filter((label) => /reload/i.test(label))).toEqual(["Reload"]);
  expect(labels(moreMenu(model))).toEqual(
    labels(modelMenu(model)).filter((label) => label !== "Reload" && label !== "Unload"),
  );
});

test("a model whose process died is loaded: it can be reloaded and unloaded", () => {
  const died = create(ModelSummarySchema, { name: "digits", state: ModelState.DIED });
  expect(labels(modelMenu(died))).toEqual(expect.arrayContaining(["Reload", "Unload"]));
  expect(labels(modelMenu(died))).not.toContain("Load");
});

test("the memory of a model is named", () => {
  const facts = factsOf(create(ModelSummarySchema, { device: "CPU", memoryBytes: 4_100_000n }));
  expect(facts).toEqual(["CPU", "memory 3.9 MiB"]);
});
