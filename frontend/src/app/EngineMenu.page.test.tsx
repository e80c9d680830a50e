import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { Engine_State, EngineSchema, GpuSchema, RepositorySchema } from "../api/conch_pb";
import { gpusText, gpuText } from "../workspace/gpuText";
import { useWorkspace } from "../workspace/workspace";
import { EngineMenu, factsOf } from "./EngineMenu";

const GiB = 1024 ** 3;

test("an engine is shown once a repository is open, and a lost connection always", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const engine = create(EngineSchema, { state: Engine_State.STOPPED });
  const shown = async (roots: string[], connection: "live" | "lost") => {
    await act(async () =>
      useWorkspace.setState({ engine, connection, repository: create(RepositorySchema, { roots }) }),
    );
    return document.body.textContent;
  };
  await act(async () => root.render(<EngineMenu />));
  expect(await shown([], "live")).toBe("");
  expect(await shown(["/models"], "live")).toContain("Engine stopped");
  expect(await shown([], "lost")).toContain("Reconnecting");
  await act(async () => root.unmount());
});

test("the button says of a server elsewhere how it is, and not on what its models run", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const known = { state: Engine_State.READY, device: "CPU", memoryBytes: 52_428_800n };
  const shown = async (engine: typeof known & { remote?: { name: string } }) => {
    const repository = create(RepositorySchema, { roots: ["/models"] });
    await act(async () =>
      useWorkspace.setState({ engine: create(EngineSchema, engine), connection: "live", repository }),
    );
    return document.body.textContent;
  };
  await act(async () => root.render(<EngineMenu />));
  expect(await shown(known)).toBe("Engine: Engine readyCPU · 50.0 MiB");
  expect(await shown({ ...known, remote: { name: "staging" } })).toBe("Engine: Server answers");
  await act(async () => root.unmount());
});

test("a GPU says what it is and does, and nothing that its driver does not tell", () => {
  const known = {
    name: "NVIDIA A100",
    totalBytes: 40 * GiB,
    usedBytes: 1.5 * GiB,
    utilization: 0.254,
    powerWatts: 60.4,
    temperature: 31,
  };
  expect(gpuText(create(GpuSchema, known))).toBe("NVIDIA A100 · 1.5 GiB of 40.0 GiB · 25 % · 60 W · 31 °C");
  const unknown = { usedBytes: -1, utilization: -1, powerWatts: -1, temperature: -1 };
  expect(gpuText(create(GpuSchema, { ...known, ...unknown }))).toBe("NVIDIA A100 · 40.0 GiB");
});

test("many GPUs are told together, and those that are lost", () => {
  const gpu = (index: number, name = "NVIDIA H100", usedBytes = 8 * GiB) => ({
    index,
    name,
    usedBytes,
    totalBytes: 80 * GiB,
    ...{ utilization: -1, powerWatts: -1, temperature: -1 },
  });
  const facts = (of: ReturnType<typeof gpu>[], gpusLost: number[] = []) =>
    factsOf(create(EngineSchema, { gpus: of, gpusLost })).map((fact) => fact.join(": "));
  expect(facts([gpu(0), gpu(1)])).toEqual([
    "GPU 0: NVIDIA H100 · 8.0 GiB of 80.0 GiB",
    "GPU 1: NVIDIA H100 · 8.0 GiB of 80.0 GiB",
  ]);
  expect(facts([0, 1, 2, 3, 4].map((index) => gpu(index)).concat(gpu(5, "NVIDIA A100")), [6, 7])).toEqual([
    "GPUs: 5 × NVIDIA H100, NVIDIA A100 · 48.0 GiB of 480 GiB · each one in Devices…",
    "Lost: GPU 6, 7",
  ]);
  expect(gpusText([create(GpuSchema, gpu(0, "", -1)), create(GpuSchema, gpu(1, ""))])).toBe(
    "2 · each one in Devices…",
  );
});
