import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { ModelSummarySchema, WorkspaceUpdateSchema } from "../api/conch_pb";
import { queryClient } from "../api/queries";
import { file, openAndType, startApp } from "../features/editor/fakeApp";
import type { Session } from "../features/editor/session";
import { useDisk } from "../features/editor/useDisk";
import { useWorkspace } from "../workspace/workspace";
import { receive } from "./session";

beforeEach(startApp);

let seq = 1n;

/** Tells the page of the model, as the app does after each key: figures are NaN where there was no request. */
const tell = (errors: number, around: bigint) =>
  act(async () => {
    const summary = create(ModelSummarySchema, { name: file.model, errors, around });
    seq++;
    receive(create(WorkspaceUpdateSchema, { seq, reset: seq === 2n, models: [summary] }));
  });

function Probe({ session }: { session: Session }) {
  useDisk(session);
  return null;
}

test("a key is judged once; what changes around the text has it judged again", async () => {
  const { session, view } = await openAndType("");
  await tell(0, 1n);
  useWorkspace.setState({ connection: "live" });
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <Probe session={session} />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(session.store.getState().judged).toBeGreaterThan(0));
  const asked = vi.mocked(clients.editor.analyze);
  const invalidated = vi.spyOn(queryClient, "invalidateQueries");
  await act(async () => undefined);
  asked.mockClear();
  await act(async () => view?.dispatch({ changes: { from: 0, insert: "?" } }));
  await tell(1, 1n);
  expect(asked).toHaveBeenCalledTimes(1);
  expect(invalidated).not.toHaveBeenCalledWith({ queryKey: ["model", file.model] });
  await tell(1, 2n);
  expect(asked).toHaveBeenCalledTimes(2);
  expect(invalidated).toHaveBeenCalledWith({ queryKey: ["model", file.model] });
  await act(async () => root.unmount());
});
