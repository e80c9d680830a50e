import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { clients } from "../../api/client";
import {
  Engine_State,
  EngineSchema,
  InferResponseSchema,
  ListWorkersResponseSchema,
  ModelState,
  ModelSummarySchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { patchTry } from "../../requests/tries";
import css from "../../ui/Centre.module.css";
import { useWorkspace } from "../../workspace/workspace";
import { DebugView } from "./DebugView";

const name = { model: "m", version: 1n, instance: "m_0" };
let root: Root;
const host = document.body.appendChild(document.createElement("div"));
const button = (label: RegExp) =>
  [...host.querySelectorAll("button")].find((one) => label.test(one.textContent ?? ""));

const show = async (debuggerAt: string, leaving = 0) => {
  const workers = create(ListWorkersResponseSchema, {
    workers: [
      { name: { ...name, leaving }, pid: 41, memoryBytes: 64_382_566n, restarts: 2, debugger: debuggerAt },
    ],
  });
  vi.spyOn(clients.models, "listWorkers").mockResolvedValue(workers);
  queryClient.setQueryData(["workers", "m"], workers);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <DebugView model="m" />
      </QueryClientProvider>,
    ),
  );
};

beforeEach(() => {
  queryClient.clear();
  root = createRoot(host);
  const models = new Map([["m", create(ModelSummarySchema, { name: "m", dir: "/r/m" })]]);
  useWorkspace.setState({ connection: "live", models });
});
afterEach(() => act(async () => root.unmount()));

it("shows what a process is, and why a debugger was not started", async () => {
  await show("");
  expect(host.textContent).toMatch(/m_0Idle.*Process41Memory61\.4 MiB.*Restarts2/);
  const why = "the model's interpreter has no debugpy. Install it: /usr/bin/python3 -m pip install debugpy";
  vi.spyOn(clients.models, "debug").mockRejectedValue(new Error(why));
  await act(async () => button(/^Start the debugger/)?.click());
  expect(host.querySelector("[role=alert]")?.textContent).toContain("pip install debugpy");
});

it("says of each process which version it runs, where there are two", async () => {
  const workers = create(ListWorkersResponseSchema, {
    workers: [1n, 2n].map((version) => ({ name: { ...name, version }, pid: 40 + Number(version) })),
  });
  vi.spyOn(clients.models, "listWorkers").mockResolvedValue(workers);
  queryClient.setQueryData(["workers", "m"], workers);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <DebugView model="m" />
      </QueryClientProvider>,
    ),
  );
  const heads = [...host.querySelectorAll("li")].map(({ textContent }) => textContent);
  expect(heads).toEqual([
    expect.stringMatching(/^m_0Version 1Idle/),
    expect.stringMatching(/^m_0Version 2Idle/),
  ]);
});

it("says of a model that waits for trust that no process runs for that, with the button", async () => {
  const models = new Map([["m", create(ModelSummarySchema, { name: "m", state: ModelState.UNTRUSTED })]]);
  useWorkspace.setState({ models });
  queryClient.setQueryData(["workers", "m"], create(ListWorkersResponseSchema));
  vi.spyOn(clients.models, "listWorkers").mockResolvedValue(create(ListWorkersResponseSchema));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <DebugView model="m" />
      </QueryClientProvider>,
    ),
  );
  expect(host.textContent).toContain("this repository is not trusted");
  expect(button(/^Trust this repository/)).toBeDefined();
});

it("says why no process is shown while the engine does not answer, and waits in the middle until then", async () => {
  vi.spyOn(clients.models, "listWorkers").mockReturnValue(new Promise(() => {}) as never);
  const engine = (state: Engine_State) => useWorkspace.setState({ engine: create(EngineSchema, { state }) });
  engine(Engine_State.STOPPED);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <DebugView model="m" />
      </QueryClientProvider>,
    ),
  );
  expect(host.textContent).toContain("The engine has stopped");
  await act(async () => engine(Engine_State.READY));
  expect(host.textContent).toBe("Reading the processes");
  expect(host.querySelector("svg")?.parentElement?.className).toBe(css.centre);
});

it("copies the entry for the editor once a process listens", async () => {
  await show("127.0.0.1:43127");
  expect(host.textContent).toContain("Listens for a debugger at 127.0.0.1:43127");
  const write = vi.fn(async () => undefined);
  vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: write } });
  vi.spyOn(clients.models, "debug").mockResolvedValue({ address: "", launch: '{"port": 43127}' } as never);
  await act(async () => button(/^Copy the entry/)?.click());
  expect(write).toHaveBeenCalledWith('{"port": 43127}');
  await vi.waitFor(() => expect(button(/^Copied$/)).toBeDefined());
  await show("127.0.0.1:43128"); // loaded again, while another program has the port
  expect(button(/^Copied$/)).toBeUndefined();
});

it("says of a process that ends how its debugger ends, and offers none that would outlive it", async () => {
  await show("127.0.0.1:43127", 1);
  expect(host.textContent).toContain("Listens for a debugger at 127.0.0.1:43127");
  expect(host.textContent).toContain("continue in the debugger, or interrupt it here");
  expect(button(/^Stop the debugger$/)).toBeUndefined();
  await show("", 1);
  expect(button(/^Start the debugger/)).toBeUndefined();
});

it("draws the profile that a request to an ensemble has of it, and says whose request that was", async () => {
  const profile = (model: string) => ({
    model,
    instance: `${model}_0`,
    functions: [{ name: `of_${model}`, file: `/r/${model}/1/model.py`, line: 1 }],
    nodes: [{ function: 0, parent: -1, totalNs: 10_000_000n, calls: 1n }],
  });
  const response = create(InferResponseSchema, { ok: true, profiles: [profile("other"), profile("m")] });
  patchTry("m", { answer: undefined });
  patchTry("chain", { answer: { at: Date.now(), response } });
  await show("");
  const calls = [...host.querySelectorAll("[role=treeitem]")];
  expect(calls.map((one) => one.getAttribute("aria-label"))).toEqual(["of_m, 10.0 ms, 100 %"]);
  expect(host.textContent).toMatch(/of the request of .* to chain/);
  await act(async () => patchTry("chain", { answer: undefined }));
});

it("draws the profile of the last request, with a way to the file", async () => {
  const response = create(InferResponseSchema, {
    ok: true,
    profiles: [
      {
        model: "m",
        instance: "m_0",
        functions: [
          { name: "execute", file: "/r/m/1/model.py", line: 12 },
          { name: "sorted", file: "", line: 0 },
        ],
        nodes: [
          { function: 0, parent: -1, totalNs: 10_000_000n, calls: 1n },
          { function: 1, parent: 0, totalNs: 4_000_000n, calls: 50n },
        ],
      },
    ],
  });
  patchTry("m", { answer: { at: Date.now(), response } });
  await show("");
  const calls = [...host.querySelectorAll("[role=treeitem]")];
  expect(calls.map((one) => one.getAttribute("aria-label"))).toEqual([
    "execute, 10.0 ms, 100 %",
    "sorted, 4.00 ms, 40.0 %",
  ]);
  expect(button(/^m\/1\/model\.py:12$/)).toBeDefined();
  await act(async () => (calls[1] as HTMLElement).click());
  expect(button(/^Show all$/)).toBeDefined();
});
