import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { DraftsSchema, Notice_Level, RepositorySchema, WorkspaceUpdateSchema } from "../api/conch_pb";
import { TokenPage } from "../features/welcome/TokenPage";
import { openDialog } from "../window/dialogs";
import { applyUpdate, useWorkspace } from "../workspace/workspace";
import { StatusBar } from "./StatusBar";
import { UnsavedDialog } from "./UnsavedDialog";

test("unsaved texts are spoken of only where there are some", async () => {
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

test("texts that cannot be kept are marked in the status bar until they are kept again", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const drafts = { list: [{ model: "digits", path: "config.pbtxt" }] };
  const text = "Unsaved changes cannot be kept: the disk is full.";
  const bad = { id: 7n, cause: "keeping", level: Notice_Level.ERROR, text };
  const good = { id: 9n, cause: "keeping", level: Notice_Level.INFO, text: "kept as usual again" };
  const tell = (update: MessageInitShape<typeof WorkspaceUpdateSchema>) =>
    act(async () => useWorkspace.setState((s) => applyUpdate(s, create(WorkspaceUpdateSchema, update))));
  const mark = () => document.querySelector(`footer [title="${text}"]`)?.textContent;
  await act(async () =>
    root.render(
      <>
        <StatusBar />
        <UnsavedDialog />
      </>,
    ),
  );
  await tell({ seq: 1n, reset: true, drafts, notices: [bad] });
  const others = Array.from({ length: 300 }, (_, i) => ({ id: BigInt(100 + i), text: `other ${i}` }));
  await tell({ seq: 2n, notices: others });
  expect(mark()).toBe("▲ Unsaved texts at risk");
  await act(async () => openDialog("unsaved"));
  expect(document.querySelector("[role=dialog]")?.textContent).toContain(text);
  await tell({ seq: 3n, reset: true, drafts, notices: [bad] });
  expect(mark()).toBe("▲ Unsaved texts at risk");
  const reserved = "Unsaved changes are kept in space that was reserved there.";
  await tell({
    seq: 4n,
    notices: [{ ...bad, id: 8n, level: Notice_Level.WARNING, text: reserved }],
  });
  const kept = document.querySelector(`footer [title="${reserved}"]`)?.textContent;
  expect(kept).toBe("▲ Unsaved texts kept elsewhere");
  const full = "Cannot write history: the disk is full.";
  const history = { ...bad, id: 8n, cause: "history", level: Notice_Level.WARNING, text: full };
  const unwritten = () => document.querySelector(`footer [title="${full}"]`)?.textContent;
  await tell({ seq: 5n, notices: [history] });
  expect(unwritten()).toBe("▲ History not written");
  await tell({ seq: 6n, notices: [{ ...history, id: 10n, level: Notice_Level.INFO }] });
  expect(unwritten()).toBeUndefined();
  await tell({ seq: 7n, notices: [good] });
  expect(mark()).toBeUndefined();
  await act(async () => root.unmount());
});
