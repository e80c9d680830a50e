import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { Diagnostic_Severity, FileProblemsSchema, ModelState, ModelSummarySchema } from "../api/conch_pb";
import { blockerFor } from "./blocker";
import { findingFor } from "./findings";

const severity = Diagnostic_Severity.ERROR;
const noFile = { severity, message: "Version 1 has no file model.onnx", line: 2 };
const misspelt = {
  severity,
  message: "No backend has this platform",
  triton: "unexpected platform",
  line: 3,
};

test("of several mistakes the one at which Triton stops keeps a model from being loaded, and says why it was refused", () => {
  const model = create(ModelSummarySchema, { name: "m", state: ModelState.FAILED, errors: 2 });
  const told = (first: boolean) => {
    const diagnostics = [noFile, { ...misspelt, first }];
    const files = [create(FileProblemsSchema, { model: "m", path: "config.pbtxt", diagnostics })];
    const refused = "failed to load 'm', failed to poll from model repository";
    return [blockerFor(files, model)?.text, findingFor(files, "m", refused)?.message];
  };
  expect(told(true)).toEqual([misspelt.message, misspelt.message]);
  expect(told(false)).toEqual([noFile.message, noFile.message]); // such as while a text is not saved
});
