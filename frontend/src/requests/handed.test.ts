import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { GetModelResponseSchema } from "../api/conch_pb";
import { takenBack, withoutValues } from "./handed";
import { asJson, fromJson } from "./json";
import { requestSoFar } from "./request";
import { getTry, type ModelTry } from "./tries";
import type { InputDraft } from "./tryDrafts";

const details = create(GetModelResponseSchema, {
  summary: { name: "m" },
  inputs: ["typed", "half", "untouched", "other"].map((name) => ({
    name,
    datatype: "FP32",
    dims: [-1n],
    shape: [-1n],
  })),
});

const draft = (patch: Partial<InputDraft>): InputDraft => ({
  source: "values",
  shape: [2],
  skip: false,
  ...patch,
});
const unfinished = { "dim.0": { text: "abc", problem: 'Dimension 1 is "abc"' } };
const inputs = {
  typed: draft({ values: "1, 2" }),
  half: draft({ values: "[1, 2, oh", unfinished }),
  other: draft({ values: "[3, 4]" }),
};

/** What the form holds after its JSON was edited so. */
async function edited(change: (json: string) => string) {
  const entered: ModelTry = { ...getTry("m"), inputs };
  const handed = await requestSoFar(details, entered);
  const back = await fromJson("m", change(asJson(handed)));
  return { handed, form: takenBack(back, { ...entered, handed }) };
}

test("what is half typed in the form is there again after another input was changed as JSON", async () => {
  const { handed, form } = await edited((json) => json.replace("[3, 4]", "[3, 5]"));
  expect(withoutValues(handed)).toEqual(["half"]);
  expect(form.inputs.half).toEqual(inputs.half);
  expect(form.inputs.typed).toEqual(inputs.typed);
  expect(form.inputs.untouched).toBeUndefined();
  expect(form.inputs.other?.values).toBe("[3, 5]");
});

test("an input that is completed as JSON is that in the form", async () => {
  const { form } = await edited((json) => json.replace('"data": []', '"data": [7, 8]'));
  expect(form.inputs.half).toMatchObject({ values: "[7, 8]" });
  expect(form.inputs.half?.unfinished).toBeUndefined();
  expect(form.inputs.typed).toEqual(inputs.typed);
});

test("a batch that is half typed stays for as long as the rows do", async () => {
  const batchTyped = { text: "1x", problem: "" };
  const entered = { ...getTry("m"), inputs, batch: 2, batchTyped };
  const handed = await requestSoFar(details, entered);
  expect(takenBack(handed, { ...entered, handed }).batchTyped).toEqual(batchTyped);
  expect(takenBack(handed, { ...entered, handed, batch: 3 }).batchTyped).toBeUndefined();
});
