import { create } from "@bufbuild/protobuf";
import { act, useState } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { DescribeConversionResponseSchema } from "../../api/conch_pb";
import { enter } from "../../testing/typing";
import { firstChoice } from "./choice";
import { Form } from "./Form";

const of = create(DescribeConversionResponseSchema, {
  versions: [
    { version: 1n, file: "model.onnx", bytes: 53_000n },
    { version: 2n, file: "model.onnx", bytes: 17_000n, narrowed: "INT8" },
  ],
  usual: 1n,
  savedRequests: 3,
  tensorrt: "10",
});

function Shown() {
  const [choice, setChoice] = useState(() => firstChoice("digits"));
  return <Form of={of} choice={choice} problems={{}} attempt={0} onChange={setChoice} />;
}

test("a version that is INT8 already is named so, is not the first choice, and choosing it says what to do", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => root.render(<Shown />));
  const version = () => document.querySelector("select") as HTMLSelectElement;
  expect([...version().options].map((one) => one.text)).toEqual(["2 (INT8, 16.6 KiB)", "1 (51.8 KiB)"]);
  expect(version().value).toBe("1");
  const warning =
    "Version 2 is INT8 already, and FP16 is made of FP32: choose the version that it was made of.";
  expect(document.body.textContent).not.toContain(warning);
  await act(async () => enter(version(), "2"));
  expect(document.body.textContent).toContain(warning);
  const plan = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "TensorRT");
  await act(async () => plan?.click());
  expect(document.body.textContent).not.toContain("is INT8 already");
  await act(async () => root.unmount());
});
