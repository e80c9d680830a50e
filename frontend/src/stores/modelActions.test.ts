import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ModelState, ModelSummarySchema } from "../api/conch_pb";
import { servingWith } from "./modelActions";
import { useWorkspace } from "./workspace";

it("knows which ensembles stop serving with a model", () => {
  const models = [
    create(ModelSummarySchema, { name: "digits", usedBy: ["read", "old", "gone", "off"] }),
    create(ModelSummarySchema, { name: "read", state: ModelState.READY }),
    create(ModelSummarySchema, { name: "old", state: ModelState.OLDER_SERVES }),
    create(ModelSummarySchema, { name: "off", state: ModelState.FAILED }),
  ];
  useWorkspace.setState({ models: new Map(models.map((model) => [model.name, model])) });
  expect(servingWith("digits")).toEqual(["read", "old"]);
  expect(servingWith("read")).toEqual([]);
  expect(servingWith("nothing")).toEqual([]);
});
