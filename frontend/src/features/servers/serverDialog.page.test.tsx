import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { EngineSchema, ListServersResponseSchema, TestServerResponseSchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { enter } from "../../testing/typing";
import { openDialog } from "../../window/dialogs";
import { takeUp, useToasts } from "../../window/toasts";
import { useWorkspace } from "../../workspace/workspace";
import { ServerDialog } from "./ServerDialog";

const find = (label: string) =>
  [...document.querySelectorAll("button")].find(({ textContent }) => textContent === label);

async function showDialog(name: string) {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => {
    root.render(
      <QueryClientProvider client={queryClient}>
        <ServerDialog />
      </QueryClientProvider>,
    );
    openDialog("server", name);
  });
  await vi.waitFor(() => expect(find("Test")).toBeDefined());
  return () => act(async () => root.unmount());
}

beforeEach(() => {
  vi.restoreAllMocks();
  queryClient.clear();
});

test("what is waited for is read, and not only named for who points at a sign", async () => {
  vi.spyOn(clients.servers, "listServers").mockResolvedValue(create(ListServersResponseSchema));
  vi.spyOn(clients.servers, "testServer").mockImplementation(() => new Promise(() => {}));
  const leave = await showDialog("");
  await act(async () => find("Test")?.click());
  const words = () =>
    [...document.querySelectorAll("[aria-live] span")].map(({ textContent }) => textContent);
  await vi.waitFor(() => expect(words()).toContain("Asking the server"));
  await leave();
});

test("what a test says of fields that were edited since is not told", async () => {
  vi.spyOn(clients.servers, "listServers").mockResolvedValue(create(ListServersResponseSchema));
  const answers: ((text: string) => void)[] = [];
  vi.spyOn(clients.servers, "testServer").mockImplementation(
    () =>
      new Promise((resolve) => {
        answers.push((text) => resolve(create(TestServerResponseSchema, { text })));
      }),
  );
  const leave = await showDialog("");
  const said = () => document.querySelector("[aria-live]")?.textContent;
  const address = (text: string) =>
    act(async () => enter(document.querySelector("[placeholder='grpc://triton.example:8001']"), text));
  await address("grpc://one:8001");
  await act(async () => find("Test")?.click());
  await address("grpc://two:8001");
  expect([said(), find("Test")?.disabled]).toEqual(["", false]);
  await act(async () => find("Test")?.click());
  await act(async () => answers[1]?.("two answers"));
  await act(async () => answers[0]?.("one answers"));
  expect(said()).toBe("two answers");
  await address("grpc://three:8001");
  expect(said()).toBe("");
  await leave();
});

test("a new server begins with its name", async () => {
  vi.spyOn(clients.servers, "listServers").mockResolvedValue(create(ListServersResponseSchema));
  const leave = await showDialog("");
  const { activeElement } = document;
  expect(activeElement?.id && document.querySelector(`label[for="${activeElement.id}"]`)?.textContent).toBe(
    "Name",
  );
  await leave();
});

test("a server that was removed can be put back, and is shown again", async () => {
  const headers = [{ name: "authorization" }];
  const peer = { name: "peer", address: "grpc://triton:8001", kept: true, headers };
  const list = vi
    .spyOn(clients.servers, "listServers")
    .mockResolvedValue(create(ListServersResponseSchema, { servers: [peer] }));
  const remove = vi.spyOn(clients.servers, "removeServer").mockResolvedValue({} as never);
  const save = vi.spyOn(clients.servers, "saveServer").mockResolvedValue({} as never);
  const attach = vi.spyOn(clients.servers, "attach").mockResolvedValue({} as never);
  useWorkspace.setState({ engine: create(EngineSchema, { remote: { name: "peer" } }) });
  const leave = await showDialog("peer");
  await act(async () => find("Remove")?.click());
  expect(remove).toHaveBeenCalledWith({ name: "peer" });
  list.mockResolvedValue(create(ListServersResponseSchema));
  const notice = useToasts.getState().toasts.at(-1);
  expect([notice?.text, notice?.action?.label]).toEqual(["peer was removed", "Undo"]);
  await act(async () => notice && takeUp(notice));
  await vi.waitFor(() => expect(attach).toHaveBeenCalledWith({ name: "peer" }));
  expect(save.mock.calls[0]?.[0]).toMatchObject({
    replaces: "peer",
    server: { name: "peer", address: "grpc://triton:8001", headers: [{ name: "authorization", value: "" }] },
  });
  await vi.waitFor(() => expect(useToasts.getState().toasts.at(-1)?.text).toBe("peer was put back"));
  await leave();
});

test("a server that was removed does not take the place of another of its name", async () => {
  const servers = [{ name: "peer", address: "grpc://triton:8001", kept: true }];
  const known = create(ListServersResponseSchema, { servers });
  vi.spyOn(clients.servers, "listServers").mockResolvedValue(known); // it was added again
  vi.spyOn(clients.servers, "removeServer").mockResolvedValue({} as never);
  const save = vi.spyOn(clients.servers, "saveServer").mockResolvedValue({} as never);
  const leave = await showDialog("peer");
  await act(async () => find("Remove")?.click());
  const notice = useToasts.getState().toasts.at(-1);
  await act(async () => notice && takeUp(notice));
  await vi.waitFor(() => expect(useToasts.getState().toasts.at(-1)?.text).toBe("peer was not put back"));
  expect(useToasts.getState().toasts.at(-1)).toMatchObject({ detail: "Another server has this name now" });
  expect(useToasts.getState().toasts.at(-1)?.action).toBeUndefined(); // it could not work
  expect(save).not.toHaveBeenCalled();
  await leave();
});
