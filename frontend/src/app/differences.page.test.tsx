import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { CompareServerResponseSchema, Engine_State, WorkspaceUpdateSchema } from "../api/conch_pb";
import { queryClient } from "../api/queries";
import { DifferencesView } from "../features/servers/DifferencesView";
import { receive } from "./session";
import "../testing/page";

const show = (name: string) =>
  receive(
    create(WorkspaceUpdateSchema, { engine: { state: Engine_State.READY, remote: { name, here: true } } }),
  );

test("what would change on one server is not said of the next one until that has answered", async () => {
  const host = document.createElement("div");
  const root = createRoot(host);
  const compare = vi.spyOn(clients.servers, "compareServer");
  compare.mockResolvedValueOnce(create(CompareServerResponseSchema));
  show("staging");
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <DifferencesView />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(host.textContent).toContain("Nothing would change on staging"));
  compare.mockReturnValue(new Promise(() => {}));
  await act(async () => show("production"));
  expect(host.textContent).toBe("");
  await act(async () => root.unmount());
});
