import { create } from "@bufbuild/protobuf";
import { expect, it, vi } from "vitest";
import { clients } from "../api/client";
import { ModelState, ModelSummarySchema } from "../api/conch_pb";
import { quietly, reloadModel, servingWith, stopLoad, useModelActions } from "./modelActions";
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

it("stops a load, and does not call that a refusal", async () => {
  let end = (_: Error) => {};
  vi.spyOn(clients.models, "load").mockReturnValue(new Promise((_, reject) => (end = reject)) as never);
  const stop = vi.spyOn(clients.models, "stopLoad").mockImplementation((async () => {
    end(new Error("it was stopped"));
    await reloading;
  }) as never);
  const reloading = reloadModel("digits");
  await stopLoad("digits");
  expect(stop).toHaveBeenCalledWith({ name: "digits" });
  const { pending, refused, stopping } = useModelActions.getState();
  expect([pending.digits, refused.digits, stopping.size]).toEqual([undefined, undefined, 0]);
});

it("keeps quiet about what is still being done while something else ends", async () => {
  vi.useFakeTimers();
  let end = () => {};
  const first = quietly(["a"], () => new Promise<void>((done) => (end = done)));
  await quietly(["b"], async () => undefined);
  expect([...useModelActions.getState().moving]).toEqual(["a", "b"]);
  vi.runAllTimers();
  expect([...useModelActions.getState().moving]).toEqual(["a"]);
  end();
  await first;
  vi.runAllTimers();
  expect([...useModelActions.getState().moving]).toEqual([]);
  vi.useRealTimers();
});
