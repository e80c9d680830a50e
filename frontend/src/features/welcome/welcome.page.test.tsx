import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { RepositorySchema } from "../../api/conch_pb";
import { useWorkspace } from "../../workspace/workspace";
import { Welcome } from "./Welcome";

test("a folder that was away is opened by itself when it is back", async () => {
  vi.useFakeTimers();
  vi.spyOn(clients.workspace, "listRecent").mockReturnValue(new Promise(() => {}) as never);
  const open = vi.spyOn(clients.workspace, "openRepository");
  open.mockRejectedValue(new ConnectError("/models does not exist.", Code.InvalidArgument));
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const hear = (wanted: string[]) =>
    act(async () =>
      useWorkspace.setState({ seq: 1n, repository: create(RepositorySchema, { trouble: "away", wanted }) }),
    );
  const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  await hear([]);
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <Welcome />
      </QueryClientProvider>,
    ),
  );
  await wait(5000);
  expect(open).not.toHaveBeenCalled();

  await hear(["/models"]);
  expect(document.body.textContent).toContain("It opens by itself when it is back");
  await wait(5000);
  expect(open).toHaveBeenCalledTimes(2);
  expect(open).toHaveBeenCalledWith({ path: "/models" });

  open.mockReturnValue(new Promise(() => {}) as never); // it is back, and takes its time
  await wait(9000);
  expect(open).toHaveBeenCalledTimes(3);
  await act(async () => root.unmount());
});
