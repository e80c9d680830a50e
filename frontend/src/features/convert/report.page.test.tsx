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

test("a difference of times that is within the noise is not told as a fact", async () => {
  const shown = async (afterMs: number, afterLowMs: number, afterHighMs: number) => {
    const root = createRoot(document.body.appendChild(document.createElement("div")));
    const times = {
      beforeMs: 0.006,
      beforeLowMs: 0.0058,
      beforeHighMs: 0.0063,
      afterMs,
      afterLowMs,
      afterHighMs,
    };
    await act(async () =>
      root.render(<Report of={create(ConversionReportSchema, { target: "fp16", runs: 40, ...times })} />),
    );
    const cell = document.querySelector("tbody tr:last-child td:last-child")?.textContent;
    await act(async () => root.unmount());
    return cell;
  };
  expect(await shown(0.0062, 0.006, 0.0065)).toBe("no difference that shows: the usual times overlap");
  expect(await shown(0.012, 0.011, 0.013)).toBe("2.0 times slower");
  expect(await shown(0.003, 0, 0)).toBe("2.0 times faster, in too few runs to rely on that");
  expect(await shown(0.006, 0.0059, 0.0061)).toBe("the same");
});
