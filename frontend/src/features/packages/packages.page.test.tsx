import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  EnvironmentSchema,
  ListEnvironmentsResponseSchema,
  RemoveEnvironmentResponseSchema,
} from "../../api/conch_pb";
import { openDialog } from "../../window/dialogs";
import { useWorkspace } from "../../workspace/workspace";
import { PackagesDialog } from "./PackagesDialog";

const free = create(EnvironmentSchema, {
  id: "1",
  dir: "/e/1",
  madeFor: "model 'reader'",
  packages: ["torch"],
  python: "3.11.7",
  bytes: 2_000_000n,
});
const used = create(EnvironmentSchema, {
  ...free,
  id: "2",
  dir: "/e/2",
  madeFor: "backend 'b'",
  inUse: true,
});

test("what is installed is listed, and removed after a question unless it is in use", async () => {
  useWorkspace.setState({ connection: "live" });
  const list = vi.spyOn(clients.workspace, "listEnvironments");
  list.mockResolvedValueOnce(create(ListEnvironmentsResponseSchema, { environments: [free, used] }));
  list.mockResolvedValue(create(ListEnvironmentsResponseSchema, {}));
  const remove = vi
    .spyOn(clients.workspace, "removeEnvironment")
    .mockResolvedValue(create(RemoveEnvironmentResponseSchema));
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => {
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <PackagesDialog />
      </QueryClientProvider>,
    );
    openDialog("packages");
  });
  await vi.waitFor(() => expect(document.querySelectorAll("li")).toHaveLength(2));
  const buttons = [...document.querySelectorAll<HTMLButtonElement>("li button")];
  expect(buttons.map(({ disabled }) => disabled)).toEqual([false, true]);
  expect(document.querySelector("li")?.textContent).toContain(
    "For model 'reader'torchPython 3.11.7 · 1.9 MiB",
  );
  const press = (name: string) =>
    act(async () =>
      [...document.querySelectorAll<HTMLButtonElement>("li button")]
        .find(({ textContent }) => textContent === name)
        ?.click(),
    );
  await press("Remove…");
  expect(document.querySelector("li [role=status]")?.textContent).toContain("Removing them frees 1.9 MiB");
  expect(document.activeElement?.textContent).toBe("Cancel");
  await press("Cancel");
  expect(remove).not.toHaveBeenCalled();
  await press("Remove…");
  await press("Remove");
  expect(remove).toHaveBeenCalledWith({ id: "1" });
  await vi.waitFor(() => expect(document.body.textContent).toContain("Nothing is installed."));
  await act(async () => root.unmount());
});
