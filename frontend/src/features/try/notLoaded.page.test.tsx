import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  DraftsSchema,
  Engine_State,
  EngineSchema,
  FindDevicesResponseSchema,
  GetModelResponseSchema,
  ModelState,
  ModelSummarySchema,
  RepositorySchema,
} from "../../api/conch_pb";
import { useToasts } from "../../window/toasts";
import { useModelActions } from "../../workspace/modelActions";
import { useWorkspace } from "../../workspace/workspace";
import { NotLoaded } from "./NotLoaded";

const GiB = 1024 ** 3;

const details = (size: bigint) =>
  create(GetModelResponseSchema, {
    summary: { name: "big", state: ModelState.UNLOADED, versions: [{ number: 1n }] },
    files: [{ path: "1/model.onnx", size }],
  });

const find = vi.spyOn(clients.models, "findDevices");

async function shown(size: bigint, devices: string[], ...usedBytes: number[]): Promise<string> {
  find.mockResolvedValue(create(FindDevicesResponseSchema, { devices }));
  return looked(size, ...usedBytes);
}

async function looked(size: bigint, ...usedBytes: number[]): Promise<string> {
  const gpus = usedBytes.map((used, index) => ({
    index,
    device: `GPU ${index}`,
    usedBytes: used,
    totalBytes: 80 * GiB,
  }));
  const state = Engine_State.READY;
  useWorkspace.setState({ engine: create(EngineSchema, { state, gpus, freeBytes: BigInt(8 * GiB) }) });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <NotLoaded details={details(size)} />
      </QueryClientProvider>,
    ),
  );
  await act(async () => new Promise((done) => setTimeout(done)));
  const text = page.textContent ?? "";
  await act(async () => root.unmount());
  return text;
}

test("before a load the page tells where there is room, when that is a question", async () => {
  const both = ["GPU 0", "GPU 1"];
  expect(await shown(BigInt(5 * GiB), both, 79 * GiB, 10 * GiB)).toContain(
    "Its files have 5.0 GiB. Room on GPU 1.",
  );
  expect(find).toHaveBeenCalledWith({ name: "big" }, expect.anything());
  expect(await shown(BigInt(5 * GiB), ["GPU 0"], 79 * GiB)).toContain(
    "No room for it now: GPU 0 has 1.0 GiB free.",
  );
  expect(await shown(5_000n, ["CPU"])).not.toContain("Its files");
  expect(await shown(BigInt(9 * GiB), ["CPU"])).toContain("No room for it now: processor has 8.0 GiB free.");
});

test("of a model that serves, nobody asks where it would run: its figures change every second", async () => {
  find.mockClear();
  const live = create(ModelSummarySchema, { name: "big", state: ModelState.READY });
  useWorkspace.setState({ models: new Map([["big", live]]) });
  await shown(BigInt(5 * GiB), ["CPU"]);
  expect(find).not.toHaveBeenCalled();
  useWorkspace.setState({ models: new Map() });
});

test("a model is not said to go to a GPU that its backend cannot use", async () => {
  expect(await shown(BigInt(5 * GiB), ["CPU"], GiB)).toContain("Room on processor.");
});

test("a model that is edited and not saved says that a load reads the files", async () => {
  expect(await shown(5_000n, ["CPU"])).not.toContain("Save its changes");
  useWorkspace.setState({ drafts: create(DraftsSchema, { list: [{ model: "big", path: "config.pbtxt" }] }) });
  expect(await shown(5_000n, ["CPU"])).toContain("Save its changes first: a load reads the files.");
});

test("why it would not load ends once, and the size of a small file is no part of it", async () => {
  find.mockResolvedValue(
    create(FindDevicesResponseSchema, { refused: 'unknown data type "FP32"; did you mean TYPE_FP32?' }),
  );
  const text = await looked(155n);
  expect(text).toContain(
    'It would not load: unknown data type "FP32"; did you mean TYPE_FP32? Save its changes first',
  );
  expect(text).not.toContain("Its files");
});

test("what was just refused is explained once, below the header, and before that here", async () => {
  const withoutStrict = "it runs on the CPU here";
  const live = create(ModelSummarySchema, { name: "big", state: ModelState.UNLOADED, withoutStrict });
  useWorkspace.setState({ models: new Map([["big", live]]) });
  expect(await shown(BigInt(9 * GiB), ["CPU"])).toMatch(
    /in Settings .* it runs on the CPU here.*Run it here/i,
  );
  useModelActions.setState({ refused: { big: { action: "load", reason: "no GPUs are available" } } });
  const text = await shown(BigInt(9 * GiB), ["CPU"]);
  expect(text).not.toContain("Run it here");
  expect(text).not.toContain("Settings");
});

test("where it would run is asked again when the driver answers again", async () => {
  useModelActions.setState({ refused: {} });
  useWorkspace.setState({ models: new Map() });
  find.mockResolvedValue(create(FindDevicesResponseSchema, { refused: "The GPU driver does not answer." }));
  const state = Engine_State.READY;
  const tell = (gpuTrouble: string) => {
    const gpus = [{ index: 0, device: "GPU 0", uuid: "GPU-a", totalBytes: 80 * GiB }];
    useWorkspace.setState({ engine: create(EngineSchema, { state, gpus, gpuTrouble }) });
  };
  tell("The GPU driver does not answer.");
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <NotLoaded details={details(5_000n)} />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(page.textContent).toContain("It would not load: The GPU driver"));
  find.mockResolvedValue(create(FindDevicesResponseSchema, { devices: ["GPU 0"] }));
  await act(async () => tell(""));
  await vi.waitFor(() => expect(page.textContent).toContain("Room on GPU 0."));
  await act(async () => root.unmount());
});

test("a refusal that a load would meet names the setting, and offers to run the model, before the load", async () => {
  const live = create(ModelSummarySchema, { name: "big", state: ModelState.UNLOADED });
  useWorkspace.setState({
    models: new Map([["big", live]]),
    repository: create(RepositorySchema, { access: { strictGpu: true } }),
    engine: create(EngineSchema, { state: Engine_State.READY }),
  });
  const withoutStrict = "it runs on the CPU here";
  find.mockResolvedValue(
    create(FindDevicesResponseSchema, { refused: "no GPUs are available", withoutStrict }),
  );
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <NotLoaded details={details(5_000n)} />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() =>
    expect(page.textContent).toMatch(
      /in Settings refuses it\. Without it: It runs on the CPU here.*Run it here/,
    ),
  );
  const load = vi.spyOn(clients.models, "load");
  vi.spyOn(clients.workspace, "setAccess").mockRejectedValue(new Error("the disk is full"));
  const run = [...page.querySelectorAll("button")].find(({ textContent }) => textContent === "Run it here");
  useWorkspace.setState({ connection: "live" });
  await act(async () => run?.click());
  await vi.waitFor(() => expect(useToasts.getState().past[0]?.text).toBe("The setting was not changed"));
  expect(load).not.toHaveBeenCalled(); // it would be refused again
  await act(async () => root.unmount());
  useWorkspace.setState({ repository: undefined });
});

test("a model whose process died is not said to have failed to load: when it is started again is told", async () => {
  find.mockClear();
  const at = new Date(2026, 10, 30, 14, 3, 52).getTime();
  const died = async (startsAgain: bigint, instances: number) => {
    const state = ModelState.DIED;
    const live = create(ModelSummarySchema, { name: "big", state, instances, startsAgain });
    useWorkspace.setState({ models: new Map([["big", live]]), drafts: create(DraftsSchema) });
    return looked(5_000n);
  };
  expect(await died(BigInt(at), 1)).toBe(
    "big cannot answer now: its process ended. Conch starts it again at 14:03:52. ",
  );
  expect(await died(0n, 2)).toBe(
    "big cannot answer now: all its processes ended. Conch is starting it again. ",
  );
  expect(find).not.toHaveBeenCalled();
  useWorkspace.setState({ models: new Map() });
});
