import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { DescribeConversionResponseSchema, EngineSchema, GpuSchema } from "../../api/conch_pb";
import { enter } from "../../testing/typing";
import { useWorkspace } from "../../workspace/workspace";
import { builderOf, buildersOf } from "./builders";
import { type Choice, firstChoice } from "./choice";
import { Form } from "./Form";

const choice: Choice = { ...firstChoice("digits"), target: "tensorrt" };
const described = create(DescribeConversionResponseSchema, { tensorrt: "10.3.0", installed: true });

async function show(gpus: number, onChange: (choice: Choice) => void = () => {}, remote?: { name: string }) {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const list = Array.from({ length: gpus }, (_, index) => ({ index, name: "A100", device: `GPU ${index}` }));
  useWorkspace.setState({ engine: create(EngineSchema, { gpus: list, remote }) });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(<Form of={described} choice={choice} problems={{}} attempt={0} onChange={onChange} />),
  );
  return { page, root };
}

test("where there are several GPUs, one of them is chosen to build the plan", async () => {
  const onChange = vi.fn();
  const { page, root } = await show(2, onChange);
  const select = [...page.querySelectorAll("label")]
    .find(({ textContent }) => textContent?.startsWith("Built on"))
    ?.querySelector("select") as HTMLSelectElement;
  expect([...select.options].map(({ text }) => text)).toEqual(["GPU 0: A100", "GPU 1: A100"]);
  await act(async () => enter(select, "1"));
  expect(onChange).toHaveBeenCalledWith({ ...choice, gpu: 1 });
  await act(async () => root.unmount());
});

test("a plan is built by a GPU that CUDA shows: not by one that is lost, and by the one instance of divided ones", () => {
  const engine = (...gpus: Parameters<typeof create<typeof GpuSchema>>[1][]) =>
    create(EngineSchema, { gpus: gpus.map((gpu) => create(GpuSchema, gpu)), gpusLost: [0] });
  const left = buildersOf(engine({ index: 1, device: "GPU 1", name: "A100" }, { index: 2, device: "GPU 2" }));
  expect(left.map(({ number }) => number)).toEqual([1, 2]);
  expect([undefined, 0, 1, 2].map((gpu) => builderOf({ gpu }, left))).toEqual([1, 1, 1, 2]);
  const divided = { index: 1, divided: true, instances: [{ device: "GPU 0" }, { device: "" }] };
  expect(buildersOf(engine({ index: 0, device: "" }, divided)).map(({ number }) => number)).toEqual([0]);
  expect(builderOf({ gpu: 3 }, [])).toBe(0);
});

test("a single GPU is no choice", async () => {
  const { page, root } = await show(1);
  expect(page.textContent).not.toContain("Built on");
  await act(async () => root.unmount());
});

test("the GPUs of a server elsewhere are no choice: the plan is built on this machine", async () => {
  const { page, root } = await show(4, () => {}, { name: "production" });
  expect(page.textContent).not.toContain("Built on");
  await act(async () => root.unmount());
});
