import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  Diagnostic_Severity,
  Engine_State,
  EngineSchema,
  FindDevicesResponseSchema,
  GetModelResponseSchema,
  ListProblemsResponseSchema,
  ModelState,
  type ModelSummary,
  ModelSummarySchema,
} from "../../api/conch_pb";
import { keys } from "../../api/queries";
import { useWorkspace } from "../../workspace/workspace";
import { NotLoaded } from "./NotLoaded";

async function show(models: readonly ModelSummary[], client = new QueryClient()) {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={client}>
        <NotLoaded models={models} />
      </QueryClientProvider>,
    ),
  );
  return root;
}

test("of a model whose load failed the reason is told, and no room that did not help it", async () => {
  vi.spyOn(clients.models, "getModel").mockImplementation(async ({ name }) =>
    create(GetModelResponseSchema, {
      summary: { name, versions: [{ number: 1n }] },
      files: [{ path: "1/model.onnx", size: 1024n }],
    }),
  );
  vi.spyOn(clients.models, "findDevices").mockImplementation(async ({ name }) =>
    create(
      FindDevicesResponseSchema,
      name === "plan" ? { refused: "TensorRT is missing" } : { devices: ["CPU"] },
    ),
  );
  const failed = (name: string) =>
    create(ModelSummarySchema, { name, state: ModelState.FAILED, reason: `${name} finds no adapter` });
  useWorkspace.setState({
    engine: create(EngineSchema, {
      gpusRead: true,
      device: "CPU",
      freeBytes: 1n << 34n,
      state: Engine_State.READY,
    }),
  });
  const root = await show(["webgpu", "plan"].map(failed));
  await vi.waitFor(() =>
    expect(document.body.textContent).toContain(
      "files 1.0 KiB · its last load failed: webgpu finds no adapter",
    ),
  );
  await vi.waitFor(() =>
    expect(document.body.textContent).toContain("it would not load: TensorRT is missing"),
  );
  expect(document.body.textContent).not.toContain("room on processor");
  await act(async () => root.unmount());
});

test("why a load failed is told in the words of its problem, and Triton's are in the tooltip", async () => {
  vi.spyOn(clients.models, "getModel").mockImplementation(async ({ name }) =>
    create(GetModelResponseSchema, { summary: { name } }),
  );
  const refused = "failed to read text proto"; // so it would fail again
  vi.spyOn(clients.models, "findDevices").mockResolvedValue(create(FindDevicesResponseSchema, { refused }));
  useWorkspace.setState({ engine: create(EngineSchema, { gpusRead: true, state: Engine_State.READY }) });
  const [triton, message] = ["tensor 'image': expects 2 dimensions", "Input image has 63 values"];
  const severity = Diagnostic_Severity.ERROR;
  const files = [{ model: "digits", path: "config.pbtxt", diagnostics: [{ severity, message, triton }] }];
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(keys.problems(), create(ListProblemsResponseSchema, { files }));
  const failed = { name: "digits", state: ModelState.FAILED, reason: triton };
  const root = await show([create(ModelSummarySchema, failed)], client);
  await vi.waitFor(() => expect(document.body.textContent).toContain("files 0 B"));
  expect(document.body.textContent).toContain(`its last load failed: ${message}`);
  expect(document.body.textContent).not.toContain(refused);
  expect(document.querySelector("small[title]")?.getAttribute("title")).toBe(triton);
  await act(async () => root.unmount());
});

test("why a model would not load is asked again when a GPU that was lost cannot be read at all, and for another reason", async () => {
  vi.spyOn(clients.models, "getModel").mockImplementation(async ({ name }) =>
    create(GetModelResponseSchema, { summary: { name } }),
  );
  const find = vi.spyOn(clients.models, "findDevices");
  const because = (refused: string) => find.mockResolvedValue(create(FindDevicesResponseSchema, { refused }));
  const engine = { gpusRead: true, device: "CPU", state: Engine_State.READY };
  because("GPU 0 is lost");
  useWorkspace.setState({ engine: create(EngineSchema, { ...engine, gpusLost: [0] }) });
  const root = await show([create(ModelSummarySchema, { name: "plan", state: ModelState.UNLOADED })]);
  await vi.waitFor(() => expect(document.body.textContent).toContain("GPU 0 is lost"));
  because("the driver is not loaded");
  const gpuTrouble = "The GPUs of this machine cannot be read";
  await act(async () => useWorkspace.setState({ engine: create(EngineSchema, { ...engine, gpuTrouble }) }));
  await vi.waitFor(() => expect(document.body.textContent).toContain("the driver is not loaded"));
  because("the driver does not answer");
  const hangs = create(EngineSchema, { ...engine, gpuTrouble: "The GPU driver does not answer." });
  await act(async () => useWorkspace.setState({ engine: hangs }));
  await vi.waitFor(() => expect(document.body.textContent).toContain("the driver does not answer"));
  await act(async () => root.unmount());
});

test("what of many models is not shown is counted, and shown when a person asks", async () => {
  vi.spyOn(clients.models, "getModel").mockResolvedValue(create(GetModelResponseSchema));
  const unloaded = (name: string) => create(ModelSummarySchema, { name, state: ModelState.UNLOADED });
  const names = Array.from({ length: 51 }, (_, i) => `m${i}`);
  const root = await show(names.map(unloaded));
  const rows = () => [...document.querySelectorAll("li .mono")].length;
  expect(document.body.textContent).toContain("51 models not loaded");
  expect(rows()).toBe(50);
  expect(document.body.textContent).toContain("1 more model ");
  const more = [...document.querySelectorAll("button")].find(
    ({ textContent }) => textContent === "Show 1 more",
  );
  await act(async () => more?.click());
  expect(rows()).toBe(51);
  expect(document.body.textContent).not.toContain("1 more model ");
  await act(async () => root.unmount());
});

test("a model whose files change is weighed again, and one that cannot be read says why", async () => {
  const weight = (size: bigint) =>
    create(GetModelResponseSchema, {
      summary: { name: "big", versions: [{ number: 1n }] },
      files: [{ path: "1/model.onnx", size }],
    });
  const getModel = vi.spyOn(clients.models, "getModel").mockResolvedValue(weight(1024n ** 3n));
  vi.spyOn(clients.models, "findDevices").mockResolvedValue(create(FindDevicesResponseSchema));
  const big = create(ModelSummarySchema, {
    name: "big",
    state: ModelState.UNLOADED,
    versions: [{ number: 1n }],
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const root = await show([big], client);
  await vi.waitFor(() => expect(document.body.textContent).toContain("files 1.0 GiB"));
  getModel.mockResolvedValue(weight(3n * 1024n ** 3n));
  await act(async () => client.invalidateQueries({ queryKey: keys.model("big") })); // as when the model changes
  await vi.waitFor(() => expect(document.body.textContent).toContain("files 3.0 GiB"));
  getModel.mockRejectedValue(new Error("the disk has gone"));
  await act(async () => client.resetQueries({ queryKey: keys.model("big") }));
  await vi.waitFor(() =>
    expect(document.body.textContent).toContain("its files could not be read: the disk has gone"),
  );
  await act(async () => root.unmount());
});
