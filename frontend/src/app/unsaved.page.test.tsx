import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { DraftsSchema, RepositorySchema } from "../api/conch_pb";
import { TokenPage } from "../features/welcome/TokenPage";
import { openDialog } from "../stores/dialogs";
import { useWorkspace } from "../stores/workspace";
import { UnsavedDialog } from "./UnsavedDialog";

test("unsaved texts are spoken of only where there are some", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const repository = create(RepositorySchema, { id: "r", roots: ["/r"] });
  const drafts = create(DraftsSchema, { list: [{ model: "digits", path: "config.pbtxt" }] });
  await act(async () => root.render(<TokenPage />));
  expect(document.body.textContent).not.toContain("still here");
  await act(async () => useWorkspace.setState({ seq: 1n, repository, drafts }));
  expect(document.body.textContent).toContain("still here");

  await act(async () => root.render(<UnsavedDialog />));
  await act(async () => openDialog("unsaved"));
  expect(document.body.textContent).toContain("Discard all");
  await act(async () => useWorkspace.setState({ drafts: create(DraftsSchema, {}) }));
  expect(document.body.textContent).toContain("Everything is saved");
  expect(document.body.textContent).not.toContain("Discard all");
  expect(document.body.textContent).not.toContain("They are kept");
  await act(async () => root.unmount());
});
