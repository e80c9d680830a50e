import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { ListServersResponseSchema } from "../../api/conch_pb";
import { openDialog } from "../../window/dialogs";
import { ServerDialog } from "./ServerDialog";

test("what is waited for is read, and not only named for who points at a sign", async () => {
  vi.spyOn(clients.servers, "listServers").mockResolvedValue(create(ListServersResponseSchema));
  vi.spyOn(clients.servers, "testServer").mockImplementation(() => new Promise(() => {}));
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => {
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <ServerDialog />
      </QueryClientProvider>,
    );
    openDialog("server");
  });
  const find = () =>
    [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Test");
  await vi.waitFor(() => expect(find()).toBeDefined());
  await act(async () => find()?.click());
  const words = () =>
    [...document.querySelectorAll("[aria-live] span")].map(({ textContent }) => textContent);
  await vi.waitFor(() => expect(words()).toContain("Asking the server"));
  await act(async () => root.unmount());
});
