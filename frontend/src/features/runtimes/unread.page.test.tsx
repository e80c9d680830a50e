import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  InstallRuntimeResponseSchema,
  ListRuntimesResponseSchema,
  RemoveRuntimeResponseSchema,
} from "../../api/conch_pb";
import { openDialog } from "../../window/dialogs";
import { useWorkspace } from "../../workspace/workspace";
import { RuntimesDialog } from "./RuntimesDialog";

const press = (label: string) =>
  act(async () => {
    const found = [...document.querySelectorAll("button")].find(
      (one) => (one.getAttribute("aria-label") ?? one.textContent) === label,
    );
    if (!found) throw new Error(`no button ${label}`);
    found.click();
  });

async function show() {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => {
    root.render(
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <RuntimesDialog />
      </QueryClientProvider>,
    );
    openDialog("runtimes");
  });
  return root;
}

test("an install goes on while the list of builds cannot be read", async () => {
  useWorkspace.setState({ connection: "live" });
  const listing = vi.spyOn(clients.workspace, "listRuntimes").mockResolvedValue(
    create(ListRuntimesResponseSchema, {
      here: [{ name: "old", installed: true }],
      offered: [{ name: "cpu", version: "1.30.0", weight: "22.5 MiB" }],
    }),
  );
  vi.spyOn(clients.workspace, "removeRuntime").mockResolvedValue(create(RemoveRuntimeResponseSchema));
  let signal: AbortSignal | undefined;
  vi.spyOn(clients.workspace, "installRuntime").mockImplementation(async function* (_, options) {
    signal = options?.signal;
    yield create(InstallRuntimeResponseSchema, { text: "fetching", bytes: 2_000_000n });
    await new Promise(() => undefined);
  });
  const root = await show();
  await vi.waitFor(() => expect(document.querySelectorAll("li")).toHaveLength(2));
  await press("Install… cpu");
  await press("Download 22.5 MiB");
  await vi.waitFor(() => expect(document.body.textContent).toContain("1.9 MiB of 22.5 MiB"));
  listing.mockRejectedValue(new Error("the program was stopped"));
  await press("Remove… old");
  await press("Remove");
  await vi.waitFor(() => expect(document.body.textContent).toContain("could not be read"));
  expect(document.body.textContent).toContain("1.9 MiB of 22.5 MiB");
  expect(signal?.aborted).toBe(false);
  await act(async () => root.unmount());
});

test("where none is in use, it is not said that none can be used while one can be chosen", async () => {
  const trouble = "libonnxruntime.so.1 is not in /opt/conch";
  const listing = vi.spyOn(clients.workspace, "listRuntimes");
  const shown = async (here: { name: string; installed: boolean; error: string }[]) => {
    listing.mockResolvedValue(create(ListRuntimesResponseSchema, { trouble, here }));
    const root = await show();
    await vi.waitFor(() => expect(document.body.textContent).toContain(trouble));
    const text = document.body.textContent;
    await act(async () => root.unmount());
    return text;
  };
  expect(await shown([{ name: "cpu-1.30.0", installed: true, error: "" }])).toContain(
    `None is in use: ${trouble}. Or choose one of these with its Use.`,
  );
  expect(await shown([{ name: "cpu-1.30.0", installed: true, error: "damaged" }])).toContain(
    `None can be used: ${trouble}`,
  );
});
