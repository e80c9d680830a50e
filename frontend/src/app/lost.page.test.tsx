import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  Engine_State,
  EngineSchema,
  ModelState,
  ModelSummarySchema,
  RepositorySchema,
} from "../api/conch_pb";
import { ModelHeader } from "../features/models/ModelHeader";
import { Sidebar } from "../features/models/Sidebar";
import { TryBar } from "../features/try/TryBar";
import { type Reach, ReachContext } from "../ui/reach";
import { TooltipProvider } from "../ui/Tooltip";
import { StateIcon } from "../workspace/StateIcon";
import { selectReach, useWorkspace } from "../workspace/workspace";
import { StatusBar } from "./StatusBar";

const model = create(ModelSummarySchema, { name: "digits", state: ModelState.READY });

/** A part of the window that shows states and offers actions. */
const Part = ({ reach }: { reach: Reach }) => (
  <ReachContext value={reach}>
    <QueryClientProvider client={new QueryClient()}>
      <TooltipProvider>
        <StateIcon state={ModelState.READY} />
        <ModelHeader model={model} />
        <TryBar model="digits" details={undefined} />
        <StatusBar />
      </TooltipProvider>
    </QueryClientProvider>
  </ReachContext>
);

const button = (name: string) =>
  [...document.querySelectorAll("button")].find(({ textContent }) => textContent?.startsWith(name));

test("without an answer what is shown is old, and what cannot work is off", async () => {
  vi.spyOn(clients.models, "getModel").mockReturnValue(new Promise(() => {}) as never);
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  useWorkspace.setState({ seq: 1n, repository: create(RepositorySchema, { id: "r", roots: ["/r"] }) });
  const show = (reach: Reach) => act(async () => root.render(<Part reach={reach} />));

  await show({});
  expect(button("Unload")?.disabled).toBe(false);
  expect(document.querySelector("svg[aria-label=Ready]")).not.toBeNull();

  await show({ app: "The workbench does not answer" });
  for (const name of ["Reload", "Unload", "Send"]) {
    expect(button(name)?.disabled).toBe(true);
    expect(button(name)?.title).toBe("The workbench does not answer");
  }
  expect(document.querySelector("svg[aria-label='Last known: Ready']")).not.toBeNull();
  expect(document.body.textContent).toContain("No problems, as last known");
  expect(document.body.textContent).toContain("– req/s");
  await act(async () => root.unmount());
});

test("while the engine does not answer, what needs it is off and says why, and the status bar does not say that all is well", async () => {
  vi.spyOn(clients.models, "getModel").mockReturnValue(new Promise(() => {}) as never);
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const show = (state: Engine_State, errors: number) =>
    act(async () => {
      useWorkspace.setState({
        seq: 1n,
        connection: "live",
        engine: create(EngineSchema, { state, requestsPerSecond: 7 }),
        repository: create(RepositorySchema, { id: "r", roots: ["/r"], errors }),
      });
      root.render(
        <ReachContext value={selectReach(useWorkspace.getState())}>
          <Sidebar />
          <StatusBar />
        </ReachContext>,
      );
    });
  const footer = () => document.querySelector("footer")?.textContent ?? "";

  await show(Engine_State.READY, 0);
  expect(button("Load all")?.disabled).toBe(false);
  expect(footer()).toContain("No problems");

  await show(Engine_State.SILENT, 0);
  expect(button("Load all")?.disabled).toBe(true);
  expect(button("Load all")?.title).toBe("The engine does not answer");
  expect(button("New model")?.disabled).toBe(false);
  expect(footer()).toContain("▲ The engine does not answer");
  expect(footer()).not.toContain("No problems");
  expect(footer()).toContain("– req/s");

  await show(Engine_State.STOPPED, 2);
  expect(footer()).toContain("▲ The engine has stopped");
  expect(footer()).toContain("2 errors");
  await act(async () => root.unmount());
});
