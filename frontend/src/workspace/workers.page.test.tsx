import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it, vi } from "vitest";
import { clients } from "../api/client";
import { ListWorkersResponseSchema, ModelState, ModelSummarySchema, WorkerSchema } from "../api/conch_pb";
import { queryClient } from "../api/queries";
import { useWorkerActions, WorkerAnswer, WorkerButtons } from "./WorkerActions";
import { cpuPercent, hasProcesses, runsProcesses } from "./workers";
import { useWorkspace } from "./workspace";

const name = { model: "m", version: 1n, instance: "m_0" };
const at = (timeNs: bigint, cpuNs: bigint, pid = 7) =>
  create(ListWorkersResponseSchema, { timeNs, workers: [{ name, cpuNs, pid }] });

it("says which share of a processor a process used between two answers of the same process", () => {
  const now = at(2_000_000_000n, 700_000_000n);
  const [worker] = now.workers;
  if (!worker) throw new Error("no worker");
  expect(cpuPercent(at(1_000_000_000n, 200_000_000n), now, worker)).toBe(50);
  expect(cpuPercent(at(1_000_000_000n, 200_000_000n, 6), now, worker)).toBeUndefined();
  expect(cpuPercent(undefined, now, worker)).toBeUndefined();
});

it.each([
  ["ONNX", ModelState.READY, false],
  ["PyTorch", ModelState.READY, true],
  ["Python", ModelState.FAILED, true],
  ["onnxruntim", ModelState.NOT_RUNNABLE, false],
])("knows whether a %s model in state %s has processes", (kind, state, has) => {
  expect(hasProcesses(create(ModelSummarySchema, { kind, state }))).toBe(has);
  expect(hasProcesses(create(ModelSummarySchema, { kind, state, ensemble: true }))).toBe(false);
});

it("knows of a request to an ensemble whether a step at any depth has a process, also where they go in a circle", () => {
  const of = (name: string, kind: string, ...uses: string[]) =>
    create(ModelSummarySchema, { name, kind, uses, ensemble: uses.length > 0 });
  const models = new Map(
    [
      of("outer", "Ensemble", "digits", "inner"),
      of("inner", "Ensemble", "outer", "clean", "gone"),
      of("plain", "Ensemble", "digits", "plain"),
      of("clean", "Python"),
      of("digits", "ONNX"),
    ].map((model) => [model.name, model]),
  );
  const runs = [...models.values()].filter((model) => runsProcesses(model, models)).map(({ name }) => name);
  expect(runs).toEqual(["outer", "inner", "clean"]);
});

function Shown({ pid = 7 }) {
  const worker = create(WorkerSchema, { name, pid, executingNs: 5n });
  const actions = useWorkerActions(worker);
  return (
    <>
      <WorkerButtons worker={worker} actions={actions} />
      <WorkerAnswer actions={actions} />
    </>
  );
}

it("shows where a process is, with ways to its files, and how an interrupt ended", async () => {
  useWorkspace.setState({
    connection: "live",
    models: new Map([["m", create(ModelSummarySchema, { name: "m", dir: "/r/m" })]]),
  });
  const text = 'Main thread:\n  File "/r/m/1/model.py", line 12 in execute';
  vi.spyOn(clients.models, "showStacks").mockResolvedValue({ text } as never);
  const interrupt = vi.spyOn(clients.models, "interrupt").mockResolvedValue({ how: "It ended." } as never);
  const host = document.body.appendChild(document.createElement("div"));
  const root = createRoot(host);
  const show = (pid: number) =>
    act(async () =>
      root.render(
        <QueryClientProvider client={queryClient}>
          <Shown pid={pid} />
        </QueryClientProvider>,
      ),
    );
  await show(7);
  const press = (label: string) =>
    act(async () => [...host.querySelectorAll("button")].find((one) => one.textContent === label)?.click());
  await press("Show where it is");
  expect(host.textContent).toContain("Main thread:");
  expect(host.querySelector("section button")?.textContent).toBe('File "m/1/model.py", line 12');
  await show(0); // it was killed
  expect(host.textContent).not.toContain("Main thread:");
  await show(7);
  await press("Interrupt");
  expect(interrupt).toHaveBeenCalledWith({ worker: expect.objectContaining(name) });
  expect(host.textContent).toContain("It ended.");
  expect(host.textContent).not.toContain("Main thread:");
});
