import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { Engine_State, EngineSchema, GpuSchema, RepositorySchema } from "../api/conch_pb";
import { gpuText } from "../workspace/gpuText";
import { useWorkspace } from "../workspace/workspace";
import { EngineMenu } from "./EngineMenu";

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
  const known = { state: Engine_State.READY, device: "CPU", memoryBytes: 50_000_000n };
  const shown = async (engine: typeof known & { remote?: { name: string } }) => {
    const repository = create(RepositorySchema, { roots: ["/models"] });
    await act(async () =>
      useWorkspace.setState({ engine: create(EngineSchema, engine), connection: "live", repository }),
    );
    return document.body.textContent;
  };
  await act(async () => root.render(<EngineMenu />));
  expect(await shown(known)).toBe("Engine: Engine readyCPU · 50 MB");
  expect(await shown({ ...known, remote: { name: "staging" } })).toBe("Engine: Server answers");
  await act(async () => root.unmount());
});

test("a GPU says what it is and does, and nothing that its driver does not tell", () => {
  const known = {
    name: "NVIDIA A100",
    totalBytes: 40e9,
    usedBytes: 1.5e9,
    utilization: 0.254,
    powerWatts: 60.4,
    temperature: 31,
  };
  expect(gpuText(create(GpuSchema, known))).toBe("NVIDIA A100 · 1.5 GB of 40 GB · 25 % · 60 W · 31 °C");
  const unknown = { usedBytes: -1, utilization: -1, powerWatts: -1, temperature: -1 };
  expect(gpuText(create(GpuSchema, { ...known, ...unknown }))).toBe("NVIDIA A100 · 40 GB");
});
