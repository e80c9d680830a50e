import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { EngineSchema, GetModelResponseSchema } from "../../api/conch_pb";
import { getTry } from "../../requests/tries";
import { closeDialog } from "../../window/dialogs";
import { useToasts } from "../../window/toasts";
import { useWorkspace } from "../../workspace/workspace";
import { keepChoice } from "./choices";
import { button, press, showDialog, text, tick } from "./shown";
import { randomRequests } from "./typedRequests";

let unmount = async () => {};
afterEach(async () => {
  await unmount();
  keepChoice("slow", undefined);
  vi.restoreAllMocks();
});

async function show(): Promise<void> {
  const root = await showDialog({ versions: [{ version: 1n }], installed: true, tensorrt: "10.3.0" }, "slow");
  unmount = () => act(async () => root.unmount());
  await vi.waitFor(() => expect(text()).toContain("Random values"));
}

test("while the requests are made, a second press begins nothing, nor does anything when the dialog is closed", async () => {
  const convert = vi.spyOn(clients.conversions, "convert").mockImplementation(async function* (_, options) {
    await new Promise((end) => options?.signal?.addEventListener("abort", end));
  });
  const spec = { name: "image", datatype: "FP32", shape: [-1n, 64n], dims: [64n] };
  const model = create(GetModelResponseSchema, {
    summary: { name: "slow" },
    inputs: [spec],
    maxBatchSize: 32,
  });
  let read = () => {};
  const getModel = vi.spyOn(clients.models, "getModel").mockImplementation(
    () =>
      new Promise((resolve) => {
        read = () => resolve(model);
      }),
  );
  await show();
  await tick("Random values");
  await press("Convert and compare");
  await press("Convert and compare");
  expect(getModel).toHaveBeenCalledTimes(1);
  expect(text()).toContain("Making the requests");
  await act(async () => read());
  await vi.waitFor(() => expect(convert).toHaveBeenCalledTimes(1));
  await press("Cancel");
  await vi.waitFor(() => button("Convert and compare"));
  await press("Convert and compare");
  expect(getModel).toHaveBeenCalledTimes(2);
  await act(async () => closeDialog());
  await act(async () => {
    read();
    await new Promise((done) => setTimeout(done));
  });
  expect(convert).toHaveBeenCalledTimes(1);
});

test("what is chosen while a file of requests is read stays chosen", async () => {
  await show();
  await tick("Written here");
  let read: (json: string) => void = () => {};
  const file = new File([], "requests.json");
  file.text = () =>
    new Promise((resolve) => {
      read = resolve;
    });
  const picker = document.querySelector("input[type=file]") as HTMLInputElement;
  Object.defineProperty(picker, "files", { value: [file] });
  await act(async () => picker.dispatchEvent(new Event("change", { bubbles: true })));
  await press("INT8");
  await act(async () => read("[]"));
  expect(document.querySelector("textarea")?.value).toBe("[]");
  expect(button("INT8").getAttribute("aria-checked")).toBe("true");
});

test("where the first GPU is lost, the first of the others builds a plan", async () => {
  const gpus = [1, 2].map((index) => ({ index, device: `GPU ${index}`, name: "A100" }));
  useWorkspace.setState({ engine: create(EngineSchema, { gpus, gpusLost: [0] }) });
  const convert = vi.spyOn(clients.conversions, "convert").mockImplementation(async function* () {});
  await show();
  await press("TensorRT");
  await press("Convert and compare");
  await vi.waitFor(() => expect(convert).toHaveBeenCalledTimes(1));
  expect(convert.mock.lastCall?.[0].plan?.gpu).toBe(1);
  await act(async () => useWorkspace.setState({ engine: undefined }));
});

test("random requests that are too large together are told before they are made", async () => {
  const spec = { name: "image", datatype: "FP32", shape: [4_000_000n], dims: [4_000_000n] };
  const model = create(GetModelResponseSchema, { summary: { name: "huge" }, inputs: [spec] });
  await expect(randomRequests(model, getTry("huge"), 64)).rejects.toThrow(
    "64 random requests have 977 MiB together, and 500 MiB are the most",
  );
  expect(await randomRequests(model, getTry("huge"), 1)).toHaveLength(1);
});

test("a file of requests that is too large is not read", async () => {
  await show();
  await tick("Written here");
  const file = new File([], "requests.json");
  Object.defineProperty(file, "size", { value: 6e9 });
  file.text = vi.fn();
  const picker = document.querySelector("input[type=file]") as HTMLInputElement;
  Object.defineProperty(picker, "files", { value: [file] });
  await act(async () => picker.dispatchEvent(new Event("change", { bubbles: true })));
  expect(file.text).not.toHaveBeenCalled();
  expect(useToasts.getState().past[0]).toMatchObject({
    text: "requests.json was not read",
    detail: "it has 5.6 GiB, and 500 MiB are the most",
  });
});
