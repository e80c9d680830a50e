import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  DraftInfoSchema,
  DraftsSchema,
  ReadDraftResponseSchema,
  WorkspaceUpdateSchema,
} from "../api/conch_pb";
import { queryClient } from "../api/queries";
import { openDialog } from "../window/dialogs";
import { applyUpdate, useWorkspace } from "../workspace/workspace";
import { ModelGone } from "./ModelGone";
import { UnsavedDialog } from "./UnsavedDialog";
import "../testing/page";

beforeEach(() => {
  vi.useFakeTimers();
  const repository = { id: "r", roots: ["/r"] };
  const begin = create(WorkspaceUpdateSchema, {
    seq: 1n,
    reset: true,
    repository,
    models: [{ name: "digits" }],
  });
  const removal = create(WorkspaceUpdateSchema, { seq: 2n, removedModels: ["digits"] });
  useWorkspace.setState(applyUpdate(applyUpdate(useWorkspace.getInitialState(), begin), removal), true);
  return () => vi.useRealTimers();
});

function page(model: string): string | null {
  const host = document.createElement("div");
  const root = createRoot(host);
  act(() =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <ModelGone model={model} />
      </QueryClientProvider>,
    ),
  );
  act(() => void vi.runAllTimers());
  const text = host.querySelector("h2")?.parentElement?.textContent ?? null;
  act(() => root.unmount());
  return text;
}

test("the page of a name that never was a model says only that there is no such model", () => {
  expect(page("numberz")).toBe('There is no model "numberz"Show the repository');
});

test("an unsaved text of a removed model can be read and copied", async () => {
  const text = 'name: "digits"\n# typed and never saved';
  const read = vi
    .spyOn(clients.editor, "readDraft")
    .mockResolvedValue(create(ReadDraftResponseSchema, { draft: { model: "digits", text } }));
  const writeText = vi.fn(async () => {});
  Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  const draft = create(DraftInfoSchema, { model: "digits", path: "config.pbtxt", missing: true });
  useWorkspace.setState({ drafts: create(DraftsSchema, { list: [draft] }) });
  const host = document.body.appendChild(document.createElement("div"));
  const root = createRoot(host);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <ModelGone model="digits" />
      </QueryClientProvider>,
    ),
  );
  await act(async () => void (await vi.advanceTimersByTimeAsync(1000)));
  await act(async () => void (await vi.advanceTimersByTimeAsync(1000)));
  expect(host.querySelector("pre")?.textContent).toBe(text);
  expect(read.mock.calls[0]?.[0]).toMatchObject({ repository: "r", model: "digits", path: "config.pbtxt" });
  await act(async () =>
    host.querySelector<HTMLButtonElement>("button[aria-label='Copy digits/config.pbtxt']")?.click(),
  );
  expect(writeText).toHaveBeenCalledWith(text);
  await act(async () => root.render(<div />));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <UnsavedDialog />
      </QueryClientProvider>,
    ),
  );
  await act(async () => openDialog("unsaved"));
  const button = document.querySelector<HTMLButtonElement>("button[aria-label='Read digits/config.pbtxt']");
  await act(async () => button?.click());
  expect(document.querySelector("[role=dialog] pre")?.textContent).toBe(text);
  await act(async () => root.unmount());
});

test("the page of a removed model says that its folder went, and names unsaved text only if there is some", () => {
  expect(page("digits")).toBe(
    'There is no model "digits"Its folder was removed or renamed.Show the repository',
  );
  const draft = create(DraftInfoSchema, { model: "digits", path: "config.pbtxt", missing: true });
  useWorkspace.setState({ drafts: create(DraftsSchema, { list: [draft] }) });
  expect(page("digits")).toContain("Unsaved text is kept and comes back with the folder.");
});
