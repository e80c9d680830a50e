import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ModelSummarySchema } from "../api/conch_pb";
import { identifiersIn, modelsIn } from "./modelsIn";
import { useWorkspace } from "./workspace";

test("a model in a sentence is in quotes, or a word that can be nothing else", () => {
  const names = ["model", "yolov8x640", "read_digit", "图像", "a b", "resnet-50.v1"];
  useWorkspace.setState({
    models: new Map(names.map((name) => [name, create(ModelSummarySchema, { name })])),
  });
  expect(modelsIn("step 2 of read_digit: yolov8x640 is not loaded")).toEqual(["read_digit", "yolov8x640"]);
  expect(modelsIn("the model is not loaded, nor is no_such_model")).toEqual([]);
  expect(modelsIn('ensemble \'model\' wants "图像" and "a b"')).toEqual(["model", "图像", "a b"]);
  expect(modelsIn("it needs resnet-50.v1.")).toEqual(["resnet-50.v1"]);
});

test("a problem names what it quotes, each time, and models without quotes", () => {
  useWorkspace.setState({ models: new Map([["fp32id", create(ModelSummarySchema, { name: "fp32id" })]]) });
  const text = 'Nothing uses "t0", which step 1 (fp32id) writes; "t0" must stay out';
  expect(identifiersIn(text)).toEqual(['"t0"', '"t0"', "fp32id"]);
});

test("an empty name does not turn what is quoted inside out", () => {
  useWorkspace.setState({ models: new Map([["digits", create(ModelSummarySchema, { name: "digits" })]]) });
  const text = 'Nothing produces tensor "", which step 1 of "digits" reads; did you mean "m"?';
  expect(identifiersIn(text)).toEqual(['""', '"digits"', '"m"', "digits"]);
  expect(modelsIn(text)).toEqual(["digits"]);
});
