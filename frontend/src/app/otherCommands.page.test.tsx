import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { ModelState, ModelSummarySchema } from "../api/conch_pb";
import { useAsked } from "../window/asked";
import { useDialogs } from "../window/dialogs";
import { usePlace } from "../window/place";
import { modelCommands } from "./modelCommands";
import { otherCommands } from "./otherCommands";

const model = (name: string, kind = "ONNX", state = ModelState.READY) =>
  create(ModelSummarySchema, {
    name,
    kind,
    state,
    configPath: "config.pbtxt",
    versions: [{ number: 1n }, { number: 2n }],
  });

const models = [
  model("add_sub"),
  model("digits"),
  model("digits_prepare", "ONNX", ModelState.UNLOADED),
  model("say_digit", "Python"),
];

const found = (text: string, here = "", among = models) =>
  otherCommands(among, here, text).offered.map(({ label }) => label);

beforeEach(() => usePlace.setState({ model: "", modelTab: "files" }));

test("an action alone is offered for each model that it suits", () => {
  expect(found("unload")).toEqual(["Unload add_sub", "Unload digits", "Unload say_digit"]);
  expect(found("load")[0]).toBe("Load digits_prepare");
  expect(found("debug")).toEqual(["say_digit: debug"]);
  expect(found("metrics", "digits")).toEqual(
    ["add_sub", "digits_prepare", "say_digit"].map((name) => `${name}: metrics`),
  );
});

test("an action with a name, in any order, is offered for the models of that name, the best first", () => {
  expect(found("say_digit: metrics", "add_sub")).toEqual(["say_digit: metrics"]);
  expect(found("metrics digit")).toEqual(
    ["digits", "digits_prepare", "say_digit"].map((name) => `${name}: metrics`),
  );
  expect(found("metrics digit", "digits")).toEqual(
    ["digits_prepare", "say_digit"].map((name) => `${name}: metrics`),
  );
  expect(found("delete version 2 of digits", "add_sub").slice(0, 1)).toEqual(["Delete version 2 of digits"]);
  expect(found("delete version 3 of digits")).toEqual([]);
  expect(found("metrics nothing")).toEqual([]);
});

test("a whole name has the pages of its model, a part of one leads to the model alone", () => {
  expect(found("say_digit").slice(0, 4)).toEqual([
    "Reload say_digit",
    "Unload say_digit",
    "say_digit: config",
    "say_digit: try it",
  ]);
  expect(found("say_digit: m")).toContain("say_digit: metrics");
  expect(found("say_d")).toEqual([]);
});

test("what is called as was typed comes before what has the words beside others", () => {
  const many = Array.from({ length: 20 }, (_, at) => model(`model_${at}`));
  expect(found("config", "", many)).toEqual(many.slice(0, 8).map(({ name }) => `${name}: config`));
  expect(otherCommands(many, "", "config").more).toBeGreaterThanOrEqual(12);
  expect(otherCommands(many.slice(0, 8), "", "log")).toMatchObject({ offered: { length: 8 }, more: 0 });
  expect(otherCommands(many.slice(0, 9), "", "log")).toMatchObject({ offered: { length: 8 }, more: 1 });
  expect(found("reload", "", many).every((label) => label.startsWith("Reload"))).toBe(true);
});

test("a program and an ensemble have no model file to compare the config with", () => {
  const chain = create(ModelSummarySchema, { name: "chain", kind: "Ensemble", ensemble: true });
  expect(found("compare config", "", [...models, chain])).toEqual(
    ["add_sub", "digits", "digits_prepare"].map((name) => `${name}: compare the config with the model file`),
  );
  expect(modelCommands(chain).map(({ label }) => label)).toContain("chain: effective config");
});

test("both comparisons are found, and lead to the view of the config and to the dialog of answers", async () => {
  const [config, answers] = modelCommands(models[1]).filter(({ label }) => label.includes("compare"));
  expect(found("compare add_sub")).toEqual([
    "add_sub: compare the config with the model file",
    "add_sub: compare answers…",
  ]);
  await act(async () => config?.run());
  expect(usePlace.getState()).toMatchObject({ model: "digits", modelTab: "try" });
  expect(useAsked.getState().editor).toBe("compare");
  usePlace.setState({ model: "", modelTab: "files" });
  await act(async () => answers?.run());
  expect(usePlace.getState()).toMatchObject({ model: "digits", modelTab: "try" });
  expect(useDialogs.getState()).toMatchObject({ open: "compareAnswers", model: "digits" });
});
