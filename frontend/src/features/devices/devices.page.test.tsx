import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  Engine_State,
  EngineSchema,
  ListRuntimesResponseSchema,
  ModelState,
  ModelSummarySchema,
  RepositorySchema,
} from "../../api/conch_pb";
import named from "../../ui/Named.module.css";
import { openDialog } from "../../window/dialogs";
import { useWorkspace } from "../../workspace/workspace";
import { DevicesDialog } from "./DevicesDialog";

const GiB = 1024 ** 3;

vi.spyOn(clients.workspace, "listRuntimes").mockResolvedValue(create(ListRuntimesResponseSchema));

async function show() {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => {
    openDialog("devices");
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <DevicesDialog />
      </QueryClientProvider>,
    );
  });
  return root;
}

test("a GPU that is lost has its row beside those that are left", async () => {
  const gpus = [0, 2].map((index) => ({
    index,
    device: `GPU ${index}`,
    usedBytes: GiB,
    totalBytes: 80 * GiB,
  }));
  useWorkspace.setState({ engine: create(EngineSchema, { gpus, gpusLost: [1], device: "GPU 0" }) });
  const root = await show();
  expect(document.body.textContent).toMatch(
    /GPU 0.*GPU 1 \(lost\)Its driver cannot reach it\. Restart the machine.*GPU 2/,
  );
  expect(document.body.textContent).not.toContain("moved up");
  await act(async () => root.unmount());
});

test("the only GPU of a machine has its row too when it is lost", async () => {
  useWorkspace.setState({ engine: create(EngineSchema, { gpusLost: [0], device: "GPU 0" }) });
  const root = await show();
  expect(document.body.textContent).toMatch(/GPU 0 \(lost\)Its driver cannot reach it\. Restart the machine/);
  expect(document.body.textContent).toContain("No GPU is left");
  expect(document.body.textContent).not.toContain("no NVIDIA GPU");
  await act(async () => root.unmount());
});

test("the models on a GPU that is lost while they run are named beside it", async () => {
  const gpus = [{ index: 1, device: "GPU 1", totalBytes: 80 * GiB }];
  const model = create(ModelSummarySchema, { name: "big", state: ModelState.READY, device: "GPU 0, GPU 1" });
  useWorkspace.setState({
    models: new Map([["big", model]]),
    engine: create(EngineSchema, { gpus, gpusLost: [0], device: "GPU 0, GPU 1" }),
  });
  const root = await show();
  const lost = [...document.querySelectorAll("li")].find(({ textContent }) => textContent.includes("(lost)"));
  expect(lost?.textContent).toMatch(/These models were loaded on it, and their requests may fail:big$/);
  await act(async () => root.unmount());
  useWorkspace.setState({ models: new Map() });
});

test("of many models on a device the largest are named, and all when a person asks", async () => {
  const many = Array.from({ length: 15 }, (_, i) =>
    create(ModelSummarySchema, {
      name: `m${i}`,
      state: ModelState.READY,
      device: "CPU",
      memory: [{ device: "CPU", bytes: BigInt(100 - i) * 1024n ** 2n }],
    }),
  );
  useWorkspace.setState({
    models: new Map(many.map((model) => [model.name, model])),
    engine: create(EngineSchema, { gpusRead: true, device: "CPU" }),
  });
  const root = await show();
  expect(document.body.textContent).toContain("m11 89.0 MiB and 3 more, 261 MiB");
  const inMono = [...document.querySelectorAll(`small .${named.name}`)].map(({ textContent }) => textContent);
  expect(inMono).toContain("m11");
  expect(document.body.textContent).not.toContain("m12");
  const more = [...document.querySelectorAll("button")].find(({ textContent }) =>
    textContent.includes("3 more"),
  );
  await act(async () => more?.click());
  expect(document.body.textContent).toContain("m14 86.0 MiB");
  expect(document.body.textContent).not.toContain("more");
  await act(async () => root.unmount());
  useWorkspace.setState({ models: new Map() });
});

test("what does not fit is scrolled with the keys", async () => {
  useWorkspace.setState({ engine: create(EngineSchema, { gpusRead: true, device: "CPU" }) });
  const root = await show();
  const region = document.querySelector<HTMLElement>("[role=region]");
  expect(region?.tabIndex).toBe(0);
  expect(region?.textContent).toContain("Processor");
  await act(async () => root.unmount());
});

test("where a part of the driver is missing, that is told in place of what to install for ONNX Runtime", async () => {
  const noCuda = "CUDA cannot be used: libcuda.so.1 of NVIDIA's driver is missing";
  useWorkspace.setState({
    engine: create(EngineSchema, { gpus: [{ index: 0 }], noCuda, gpuDriver: "580.65", device: "CPU" }),
  });
  const root = await show();
  expect(document.body.textContent).toContain(`${noCuda}.`);
  expect(document.body.textContent).not.toContain("ONNX Runtime");
  await act(async () => root.unmount());
});

test("before the driver has answered, nothing is said of which GPUs there are", async () => {
  useWorkspace.setState({ engine: create(EngineSchema, { device: "CPU" }) });
  const root = await show();
  expect(document.body.textContent).toContain("has not answered yet");
  expect(document.body.textContent).not.toContain("no NVIDIA GPU");
  await act(async () => root.unmount());
});

test("while no engine answers, that is why nothing is known of GPUs, and not their driver", async () => {
  useWorkspace.setState({ engine: create(EngineSchema, { state: Engine_State.STOPPED }) });
  const root = await show();
  const said = () => document.body.textContent;
  expect(said()).toContain("The engine has stopped, so it is not known which GPUs there are.");
  await act(async () => useWorkspace.setState({ engine: undefined }));
  expect(said()).toContain("No engine runs, so it is not known which GPUs there are.");
  expect(said()).not.toMatch(/driver|server/);
  await act(async () => root.unmount());
});

test("why a server tells of no GPU is told where that is known", async () => {
  const metricsTrouble = "http://gpu:8002/metrics cannot be read: the answer is 404";
  useWorkspace.setState({
    engine: create(EngineSchema, { state: Engine_State.READY, remote: { name: "gpu", metricsTrouble } }),
  });
  const root = await show();
  expect(document.body.textContent).toContain(
    `It is not known which GPUs the server has: ${metricsTrouble}.`,
  );
  expect(document.body.textContent).not.toContain("tells of no GPU");
  await act(async () => root.unmount());
});

test("why ONNX models are not on a GPU is told where other models are", async () => {
  vi.spyOn(clients.workspace, "listRuntimes").mockResolvedValueOnce(
    create(ListRuntimesResponseSchema, { here: [{ name: "bundled", used: true, providers: ["CPU"] }] }),
  );
  const gpus = [{ index: 0, device: "GPU 0" }];
  useWorkspace.setState({ engine: create(EngineSchema, { gpus, gpusRead: true, device: "CPU, GPU 0" }) });
  const root = await show();
  await vi.waitFor(() =>
    expect(document.body.textContent).toContain("The ONNX Runtime in use (bundled) has no CUDA"),
  );
  expect(document.body.textContent).not.toContain("No model runs on a GPU");
  await act(async () => root.unmount());
});

test("behind a GPU that is lost, the others have moved up when the engine has started without it", async () => {
  const gpus = [0, 1].map((index) => ({
    index,
    device: `GPU ${index}`,
    usedBytes: GiB,
    totalBytes: 80 * GiB,
  }));
  useWorkspace.setState({ engine: create(EngineSchema, { gpus, gpusLost: [1], device: "GPU 0" }) });
  const root = await show();
  expect(document.body.textContent).toMatch(
    /GPU 0.*GPU 1.*The lost GPU, which was GPU 1Its .*moved up by a number/,
  );
  const names = [...document.querySelectorAll("li strong")].map(({ textContent }) => textContent);
  expect(names).toEqual(["GPU 0", "GPU 1", "The lost GPU, which was GPU 1", "Processor"]);
  await act(async () => root.unmount());
});

test("a machine without a GPU does not promise that what asks for one runs, where that is refused", async () => {
  useWorkspace.setState({ engine: create(EngineSchema, { gpusRead: true, device: "CPU" }) });
  const root = await show();
  expect(document.body.textContent).toContain("run here as well as they can");
  expect(document.body.textContent).toMatch(
    /leave the kind open \(KIND_AUTO, .*run on every GPU that Triton has/,
  );
  const repository = create(RepositorySchema, { access: { strictGpu: true } });
  await act(async () => useWorkspace.setState({ repository }));
  expect(document.body.textContent).toMatch(/are refused, because “Refuse models .* is on; TensorRT plans/);
  expect(document.body.textContent).not.toContain("as well as they can");
  await act(async () => root.unmount());
  useWorkspace.setState({ repository: undefined });
});

test("a machine whose models run by WebGPU is not said to run all on the processor", async () => {
  useWorkspace.setState({ engine: create(EngineSchema, { gpusRead: true, device: "CPU, WebGPU" }) });
  const root = await show();
  expect(document.body.textContent).toContain("models run on the processor or by WebGPU. Those that ask");
  await act(async () => root.unmount());
});

test("a machine without a GPU does not promise that TensorRT plans run on the processor", async () => {
  useWorkspace.setState({ engine: create(EngineSchema, { gpusRead: true, device: "CPU" }) });
  const root = await show();
  expect(document.body.textContent).toMatch(
    /no NVIDIA GPU.* models run on the processor\..* TensorRT plans do not run without one\./,
  );
  await act(async () => root.unmount());
});

test("the parts of a divided GPU are shown with their memory, and their UUIDs can be copied", async () => {
  const instances = Array.from({ length: 7 }, (_, i) => ({
    number: i + 1,
    uuid: `MIG-${i}`,
    profile: "1g.10gb",
    totalBytes: 10 * GiB,
    usedBytes: i * GiB,
  }));
  const divided = (index: number) => ({
    index,
    usedBytes: GiB,
    totalBytes: 80 * GiB,
    divided: true,
    instances,
  });
  useWorkspace.setState({ engine: create(EngineSchema, { gpus: [divided(0)], device: "GPU 0" }) });
  const root = await show();
  const lists = () => [...document.querySelectorAll("details")].map(({ open }) => open);
  expect(lists()).toEqual([true]);
  const row = document.querySelectorAll("[aria-label='Instances of GPU 0'] li")[6];
  expect(row?.textContent).toMatch(/7\/0.*1g\.10gb.*6\.0 GiB of 10\.0 GiB.*MIG-6/);
  expect(row?.querySelector("button")?.getAttribute("aria-label")).toBe("Copy MIG-6");
  await act(async () => {
    useWorkspace.setState({
      engine: create(EngineSchema, { gpus: [0, 1, 2].map(divided), device: "GPU 0" }),
    });
  });
  expect(lists()).toEqual([false, false, false]);
  await act(async () => root.unmount());
});

test("of divided GPUs one instance runs models, and no other GPU does", async () => {
  const divided = (index: number, ...devices: string[]) => ({
    index,
    totalBytes: 80 * GiB,
    divided: true,
    instances: devices.map((device, i) => ({
      number: i + 1,
      uuid: `MIG-${index}${i}`,
      profile: "1g.10gb",
      device,
    })),
  });
  const model = create(ModelSummarySchema, { name: "big", state: ModelState.READY, device: "GPU 0" });
  useWorkspace.setState({
    models: new Map([["big", model]]),
    engine: create(EngineSchema, { gpus: [divided(0, ""), divided(1, "GPU 0", "")], device: "GPU 0" }),
  });
  const root = await show();
  const rows = [...document.querySelectorAll("ul[aria-label^='Instances']")].map(
    (list) => list.closest("details")?.parentElement?.textContent ?? "",
  );
  expect(rows[0]).toContain("No model can run here: CUDA shows them an instance of a divided GPU");
  expect(rows[0]).not.toContain("big");
  expect(rows[1]).toContain("big");
  expect(rows[1]).toMatch(/1g\.10gb GPU 0/);
  await act(async () => root.unmount());
});

test("a driver that hangs is told beside what it told last", async () => {
  const gpus = [{ index: 0, device: "GPU 0", usedBytes: GiB, totalBytes: 80 * GiB }];
  const gpuTrouble = "The GPU driver does not answer.";
  useWorkspace.setState({
    models: new Map(),
    engine: create(EngineSchema, { gpus, gpuTrouble, device: "GPU 0" }),
  });
  const root = await show();
  expect(document.querySelector("[role=status]")?.textContent).toMatch(
    /does not answer\. The figures are what it told last/,
  );
  await act(async () => root.unmount());
});
