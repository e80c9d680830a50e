import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  Engine_State,
  EngineSchema,
  GetSettingsResponseSchema,
  ListRuntimesResponseSchema,
  RestartEngineResponseSchema,
  type RuntimeSchema,
  SetSettingsResponseSchema,
} from "../../api/conch_pb";
import { closeDialog, openDialog } from "../../window/dialogs";
import { useSettings } from "../../window/settings";
import { useWorkspace } from "../../workspace/workspace";
import { DevicesDialog } from "./DevicesDialog";

const listed = vi.spyOn(clients.workspace, "listRuntimes");
const told = (runtime: MessageInitShape<typeof RuntimeSchema>) =>
  listed.mockResolvedValueOnce(create(ListRuntimesResponseSchema, { here: [{ ...runtime, used: true }] }));

async function opened() {
  await act(async () => openDialog("devices"));
  await act(async () => new Promise((done) => setTimeout(done)));
}

let unmount = async () => {};
afterEach(() => unmount());

async function show(engine: MessageInitShape<typeof EngineSchema>) {
  useWorkspace.setState({ engine: create(EngineSchema, engine) });
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  unmount = () => act(async () => root.unmount());
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  await act(async () =>
    root.render(
      <QueryClientProvider client={client}>
        <DevicesDialog />
      </QueryClientProvider>,
    ),
  );
  await opened();
}

const radeon = {
  kind: "GPU",
  maker: "AMD",
  name: "AMD Radeon",
  id: "1002:744c",
  place: "0000:03:00.0",
  providers: ["WebGPU", "DirectML"],
};
const npu = { kind: "NPU", id: "1234:0001", providers: ["QNN"] };

test("what ONNX Runtime finds beside NVIDIA's GPUs has its rows, and is asked for at each opening", async () => {
  told({ devices: [radeon, radeon, npu] });
  told({ devices: [npu] });
  await show({ device: "CPU" });
  expect(document.body.textContent).toMatch(
    /(AMD GPUAMD Radeon · 1002:744c · at 0000:03:00\.0ONNX Runtime can use it by WebGPU, DirectML\.){2}NPU1234:0001ONNX Runtime can use it by QNN\.Processor/,
  );
  await act(async () => closeDialog());
  await opened();
  expect(document.body.textContent).not.toContain("AMD");
  expect(document.body.textContent).toContain("by QNN");
});

test("ONNX models run by what is chosen: it is kept, and the engine starts again", async () => {
  const kept = vi
    .spyOn(clients.workspace, "setSettings")
    .mockResolvedValue(create(SetSettingsResponseSchema));
  const restarted = vi
    .spyOn(clients.workspace, "restartEngine")
    .mockResolvedValue(create(RestartEngineResponseSchema));
  const ways = [{ provider: "WebGPU", accelerator: "webgpu" }];
  told({ devices: [{ ...radeon, ways }, { ...radeon, ways }, npu] });
  told({ devices: [npu] });
  told({ devices: [npu] });
  await show({ device: "CPU", accelerator: "" });
  const select = () => document.querySelector("select");
  const offered = () => [...(select()?.options ?? [])].map(({ label, value }) => [label, value]);
  expect([select()?.value, offered()]).toEqual([
    "",
    [
      ["Processor", ""],
      ["WebGPU", "webgpu"],
    ],
  ]);

  const pick = (value: string) =>
    act(async () => {
      const list = select();
      if (!list) throw new Error("there is nothing to choose from");
      list.value = value;
      list.dispatchEvent(new Event("change", { bubbles: true }));
    });
  const apply = () =>
    [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Apply");
  const press = () => act(async () => apply()?.click());
  await pick("webgpu"); // as an arrow key in the closed list does
  expect(restarted).not.toHaveBeenCalled();
  expect(kept).not.toHaveBeenCalled();
  await pick("");
  expect(apply()).toBeUndefined();
  await pick("webgpu");
  await press();
  await vi.waitFor(() => expect(restarted).toHaveBeenCalledTimes(1));
  expect(kept).toHaveBeenCalledExactlyOnceWith({ values: { accelerator: '"webgpu"' } });
  expect(useSettings.getState().accelerator).toBe("webgpu");
  await act(async () => useWorkspace.setState({ engine: create(EngineSchema, { accelerator: "webgpu" }) }));
  expect(apply()).toBeUndefined();
  expect(document.activeElement).toBe(select());

  await act(async () => closeDialog());
  await opened(); // its device is gone
  expect([select()?.value, offered()]).toEqual([
    "webgpu",
    [
      ["Processor", ""],
      ["webgpu", "webgpu"],
    ],
  ]);
  await pick("");
  await press();
  await vi.waitFor(() => expect(restarted).toHaveBeenCalledTimes(2));
  await act(async () => useWorkspace.setState({ engine: create(EngineSchema, { accelerator: "" }) }));
  await act(async () => closeDialog());
  await opened();
  expect(select()).toBeNull();
});

test("what another window chose meanwhile is shown", async () => {
  useSettings.setState({ accelerator: "" });
  vi.spyOn(clients.workspace, "getSettings").mockResolvedValueOnce(
    create(GetSettingsResponseSchema, { values: { accelerator: '"webgpu"' } }),
  );
  told({ devices: [{ ...radeon, ways: [{ provider: "WebGPU", accelerator: "webgpu" }] }] });
  await show({ device: "CPU" });
  await vi.waitFor(() => expect(document.querySelector("select")?.value).toBe("webgpu"));
  await act(async () => useSettings.setState({ accelerator: "" }));
});

test("a choice that the running engine does not have yet is told as one for its next start", async () => {
  useSettings.setState({ accelerator: "webgpu" });
  vi.spyOn(clients.workspace, "getSettings").mockResolvedValue(
    create(GetSettingsResponseSchema, { values: { accelerator: '"webgpu"' } }),
  );
  told({ devices: [{ ...radeon, ways: [{ provider: "WebGPU", accelerator: "webgpu" }] }] });
  await show({ device: "CPU", accelerator: "" });
  const note = "The engine runs them by the processor now, and by WebGPU from its next start on.";
  expect(document.body.textContent).toContain(note);
  expect([...document.querySelectorAll("button")].map(({ textContent }) => textContent)).toContain("Apply");
  await act(async () => useWorkspace.setState({ engine: create(EngineSchema, { accelerator: "webgpu" }) }));
  expect(document.body.textContent).not.toContain("from its next start on");
  await act(async () => useSettings.setState({ accelerator: "" }));
});

test("where models run by WebGPU, none is said to run on the processor for want of CUDA or of a GPU", async () => {
  const webgpu = { accelerator: "webgpu", device: "WebGPU", gpusRead: true };
  told({ name: "bundled", providers: ["CPU", "WebGPU"] });
  await show({ ...webgpu, gpus: [{ index: 0, device: "GPU 0" }] });
  expect(document.body.textContent).toContain("has no CUDA, so ONNX models run by WebGPU.");
  const lost = create(EngineSchema, { ...webgpu, gpusLost: [0], device: "" });
  await act(async () => useWorkspace.setState({ engine: lost }));
  expect(document.body.textContent).toContain(
    "loaded from now on run on the processor, those of ONNX by webgpu.",
  );
});

test("a library that does not list its devices is told", async () => {
  told({ name: "mine", silence: "its process ended when it was asked" });
  await show({ device: "CPU" });
  expect(document.body.textContent).toContain(
    "The ONNX Runtime in use (mine) does not say which there are: its process ended when it was asked.",
  );
});

test("of a server elsewhere, the devices of this machine are not shown", async () => {
  listed.mockClear();
  await show({ state: Engine_State.READY, remote: { name: "elsewhere" } });
  expect(document.body.textContent).toContain("The server tells of no GPU.");
  expect(listed).not.toHaveBeenCalled();
});
