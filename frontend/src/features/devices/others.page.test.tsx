import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  Engine_State,
  EngineSchema,
  ListRuntimesResponseSchema,
  type RuntimeSchema,
} from "../../api/conch_pb";
import { closeDialog, openDialog } from "../../window/dialogs";
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
