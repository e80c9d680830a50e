import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { ModelState, ModelSummarySchema, RepositorySchema } from "../api/conch_pb";
import { ModelHeader } from "../features/models/ModelHeader";
import { TryBar } from "../features/try/TryBar";
import { useWorkspace } from "../stores/workspace";
import { ReachContext } from "../ui/reach";
import { StateIcon } from "../ui/StateIcon";
import { TooltipProvider } from "../ui/Tooltip";
import { StatusBar } from "./StatusBar";

const model = create(ModelSummarySchema, { name: "digits", state: ModelState.READY });

/** A part of the window that shows states and offers actions. */
const Part = ({ reach }: { reach: boolean }) => (
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
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.spyOn(clients.models, "getModel").mockReturnValue(new Promise(() => {}) as never);
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  useWorkspace.setState({ seq: 1n, repository: create(RepositorySchema, { id: "r", roots: ["/r"] }) });
  const show = (reach: boolean) => act(async () => root.render(<Part reach={reach} />));

  await show(true);
  expect(button("Unload")?.disabled).toBe(false);
  expect(document.querySelector("svg[aria-label=Ready]")).not.toBeNull();

  await show(false);
  for (const name of ["Reload", "Unload", "Send"]) {
    expect(button(name)?.disabled).toBe(true);
    expect(button(name)?.title).toBe("The workbench does not answer");
  }
  expect(document.querySelector("svg[aria-label='Last heard: Ready']")).not.toBeNull();
  expect(document.body.textContent).toContain("No problems, as last heard");
  expect(document.body.textContent).toContain("– req/s");
  await act(async () => root.unmount());
});
