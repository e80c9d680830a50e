import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { Diagnostic_Severity, FileProblemsSchema, LogLineSchema } from "../../api/conch_pb";
import { usePlace } from "../../window/place";
import { findingFor } from "../../workspace/findings";
import { Line } from "./LogView";

const triton = "Invalid argument: model 'digits', tensor 'image': the model expects 2 dimensions";
const files = [
  create(FileProblemsSchema, {
    model: "digits",
    path: "config.pbtxt",
    diagnostics: [
      {
        severity: Diagnostic_Severity.ERROR,
        message: "image has 63 values, and the model takes 64",
        triton,
        from: 70,
        to: 76,
        line: 9,
      },
    ],
  }),
];
const text =
  "load failed reason=model 'digits', tensor 'image': the model expects 2 dimensions (shape [-1,64])";

test("a sentence of the engine is matched with what was found of the same model, and with nothing else", () => {
  expect(findingFor(files, "digits", text)?.message).toBe("image has 63 values, and the model takes 64");
  expect(findingFor(files, "add_sub", text)).toBeUndefined();
  expect(findingFor(files, "digits", "load failed reason=out of memory")).toBeUndefined();
});

test("a sentence is found as a part of a longer line, also behind a colon with a small letter", () => {
  const found = {
    severity: Diagnostic_Severity.ERROR,
    message: "This { is never closed",
    triton: "15:1: Expected identifier, got: ]",
  };
  const unclosed = [create(FileProblemsSchema, { model: "m", path: "config.pbtxt", diagnostics: [found] })];
  const line =
    "Poll failed for model directory 'm' reason=failed to read text proto from /r/m/config.pbtxt: line 11, column 3: this { is never closed still_serving=false";
  expect(findingFor(unclosed, "m", line)?.message).toBe("This { is never closed");
  expect(findingFor(unclosed, "m", "this model is never closed")).toBeUndefined();
});

test("the log of a failed load leads to the line of the config", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const line = create(LogLineSchema, { level: "error", model: "digits", text });
  await act(async () => root.render(<Line line={line} withModel files={files} />));
  const button = document.querySelector("button");
  expect(button?.textContent).toBe("config.pbtxt, line 9");
  await act(async () => button?.click());
  const { model, modelTab, reveal } = usePlace.getState();
  expect([model, modelTab, reveal?.path, reveal?.from]).toEqual(["digits", "config", "config.pbtxt", 70]);
  await act(async () => root.unmount());
});
