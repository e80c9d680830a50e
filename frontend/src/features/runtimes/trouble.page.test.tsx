import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { ListRuntimesResponseSchema } from "../../api/conch_pb";
import { openDialog } from "../../window/dialogs";
import { RuntimesDialog } from "./RuntimesDialog";

test("where none is in use, it is not said that none can be used while one can be chosen", async () => {
  const trouble = "libonnxruntime.so.1 is not in /opt/conch";
  const listing = vi.spyOn(clients.workspace, "listRuntimes");
  const shown = async (here: { name: string; installed: boolean; error: string }[]) => {
    listing.mockResolvedValue(create(ListRuntimesResponseSchema, { trouble, here }));
    const root = createRoot(document.body.appendChild(document.createElement("div")));
    await act(async () => {
      root.render(
        <QueryClientProvider client={new QueryClient()}>
          <RuntimesDialog />
        </QueryClientProvider>,
      );
      openDialog("runtimes");
    });
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
