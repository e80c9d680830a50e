import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { ConversionReportSchema } from "../../api/conch_pb";
import { Report } from "./Report";

test("the report of a plan says what ran where", async () => {
  const of = {
    target: "tensorrt",
    of: 1n,
    runs: 20,
    requests: 3,
    beforeMs: 0.02,
    afterMs: 0.01,
    tool: "TensorRT 10.3.0 beside onnxruntime 1.31.1 on the CPU",
  };
  const shown = async (report: typeof of) => {
    const root = createRoot(document.body.appendChild(document.createElement("div")));
    await act(async () => root.render(<Report of={create(ConversionReportSchema, report)} />));
    const said = document.body.textContent;
    await act(async () => root.unmount());
    return said;
  };
  expect(await shown(of)).toContain(
    "with 3 requests. The plan ran on the GPU of this machine, and the ONNX model on its processor " +
      "(TensorRT 10.3.0 beside onnxruntime 1.31.1 on the CPU). Another machine may say something else.",
  );
  expect(await shown({ ...of, beforeMs: 0, tool: "TensorRT 10.3.0" })).toContain(
    "The plan ran on the GPU of this machine (TensorRT 10.3.0).",
  );
});
