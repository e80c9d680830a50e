import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { DraftInfoSchema, DraftsSchema, WorkspaceUpdateSchema } from "../api/conch_pb";
import { applyUpdate, useWorkspace } from "../workspace/workspace";
import { ModelGone } from "./ModelGone";
import "../testing/page";

vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
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
  act(() => root.render(<ModelGone model={model} />));
  act(() => void vi.runAllTimers());
  const text = host.querySelector("h2")?.parentElement?.textContent ?? null;
  act(() => root.unmount());
  return text;
}

test("the page of a name that never was a model says only that there is no such model", () => {
  expect(page("numberz")).toBe('There is no model "numberz"Show the repository');
});

test("the page of a removed model says that its folder went, and names unsaved text only if there is some", () => {
  expect(page("digits")).toBe(
    'There is no model "digits"Its folder was removed or renamed.Show the repository',
  );
  const draft = create(DraftInfoSchema, { model: "digits", path: "config.pbtxt", missing: true });
  useWorkspace.setState({ drafts: create(DraftsSchema, { list: [draft] }) });
  expect(page("digits")).toContain("Unsaved text is kept and comes back with the folder.");
});
