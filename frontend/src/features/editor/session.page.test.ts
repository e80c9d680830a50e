import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  AnalyzeResponseSchema,
  FormatResponseSchema,
  ReadFileResponseSchema,
  SaveFileResponseSchema,
} from "../../api/conch_pb";
import { draftOf, dropDraft, setDraft } from "../../stores/drafts";
import { createSession } from "./session";

// The page of these tests lays nothing out; the editor measures what it drew all the same.
Range.prototype.getClientRects = () => [] as unknown as DOMRectList;

const file = { model: "digits", path: "config.pbtxt" };

/** A disk of one file, behind the app's own messages; versions are the texts themselves. */
const disk = { text: "", exists: true, readOnly: false };

beforeEach(() => {
  vi.restoreAllMocks();
  Object.assign(disk, { text: 'name: "digits"\n', exists: true, readOnly: false });
  dropDraft(file.model, file.path);
  vi.spyOn(clients.editor, "readFile").mockImplementation(async () =>
    create(ReadFileResponseSchema, { ...disk, version: disk.text }),
  );
  vi.spyOn(clients.editor, "analyze").mockImplementation(async ({ number }) =>
    create(AnalyzeResponseSchema, { number, diagnostics: [{ message: "wrong", from: 0, to: 4, line: 1 }] }),
  );
  vi.spyOn(clients.editor, "format").mockImplementation(async ({ text }) =>
    create(FormatResponseSchema, { text: text?.replaceAll("  ", " ") }),
  );
  vi.spyOn(clients.editor, "saveFile").mockImplementation(async ({ text = "", baseVersion, overwrite }) => {
    if (baseVersion !== disk.text && !overwrite) {
      return create(SaveFileResponseSchema, { conflict: true, diskText: disk.text, diskVersion: disk.text });
    }
    disk.text = text;
    return create(SaveFileResponseSchema, { version: text });
  });
});

async function open() {
  const session = createSession(file);
  await vi.waitFor(() => expect(session.store.getState().status).not.toBe("reading"));
  return session;
}

/** Opens it in a page and types at the end, as a person does. */
async function openAndType(typed: string) {
  const session = await open();
  const host = document.createElement("div");
  document.body.append(host);
  const unmount = session.mount(host);
  const { EditorView } = await import("@codemirror/view");
  const view = EditorView.findFromDOM(host);
  view?.dispatch({ changes: { from: view.state.doc.length, insert: typed } });
  return { session, unmount, view };
}

test("reads, judges, edits and saves", async () => {
  const { session } = await openAndType("backend: x");
  expect(session.store.getState().edited).toBe(true);
  await vi.waitFor(() => expect(session.store.getState().findings).toHaveLength(1));
  await session.save();
  expect(disk.text).toBe('name: "digits"\nbackend: x');
  expect(session.store.getState()).toMatchObject({ edited: false, saving: false });
  expect(draftOf(file.model, file.path)).toBeUndefined();
});

test("keeps an unsaved text when its view goes, and across sessions", async () => {
  const { session, unmount } = await openAndType("# mine");
  unmount();
  expect(session.text()).toContain("# mine");
  expect(draftOf(file.model, file.path)?.text).toContain("# mine");
  const again = await open();
  expect(again.text()).toContain("# mine");
  expect(again.store.getState()).toMatchObject({ edited: true });
  expect(again.store.getState().conflict).toBeUndefined();
});

test("an untouched text follows the disk", async () => {
  const session = await open();
  disk.text = 'name: "other"\n';
  session.onDisk(disk.text);
  await vi.waitFor(() => expect(session.text()).toBe('name: "other"\n'));
  expect(session.store.getState()).toMatchObject({ edited: false });
});

test("an edited text asks, and either side can win", async () => {
  const { session } = await openAndType("# mine");
  disk.text = "# theirs\n";
  session.onDisk(disk.text);
  await vi.waitFor(() => expect(session.store.getState().conflict?.text).toBe("# theirs\n"));
  expect(session.text()).toContain("# mine");
  await session.save();
  expect(disk.text).toBe("# theirs\n");
  session.reload();
  expect(session.text()).toBe("# theirs\n");
  expect(session.store.getState()).toMatchObject({ edited: false });
});

test("overwrites only when told to", async () => {
  const { session } = await openAndType("# mine");
  disk.text = "# theirs\n";
  await session.save();
  expect(session.store.getState().conflict).toMatchObject({ text: "# theirs\n", deleted: false });
  await session.save(true);
  expect(disk.text).toBe('name: "digits"\n# mine');
  expect(session.store.getState().conflict).toBeUndefined();
});

test("a draft that began from another content asks too", async () => {
  setDraft({ ...file, text: "# draft", baseText: "# old", baseVersion: "# old" });
  const session = await open();
  expect(session.text()).toBe("# draft");
  expect(session.store.getState().conflict?.text).toBe('name: "digits"\n');
});

test("CRLF stays CRLF when lines are added", async () => {
  disk.text = "a: 1\r\nb: 2\r\n";
  const { session, view } = await openAndType("");
  view?.dispatch(view.state.replaceSelection(view.state.toText("x\r\ny")));
  expect(session.text()).toBe("x\r\nya: 1\r\nb: 2\r\n");
  await session.save();
  expect(disk.text).toBe("x\r\nya: 1\r\nb: 2\r\n");
});

test("a failed save keeps the text and says so", async () => {
  const { session } = await openAndType("# mine");
  vi.spyOn(clients.editor, "saveFile").mockRejectedValueOnce(new Error("no space left on device"));
  await session.save();
  expect(session.store.getState()).toMatchObject({ edited: true, saving: false });
  expect(String(session.store.getState().saveError)).toContain("no space left");
});

test("formatting is one change that can be undone", async () => {
  disk.text = "a:  1\n";
  const { session } = await openAndType("");
  await session.format();
  expect(session.text()).toBe("a: 1\n");
});

test("a read-only file is not saved", async () => {
  disk.readOnly = true;
  const session = await open();
  await session.save(true);
  expect(clients.editor.saveFile).not.toHaveBeenCalled();
});
