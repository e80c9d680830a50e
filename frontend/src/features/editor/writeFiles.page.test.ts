import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { DraftsSchema, WriteFilesResponseSchema } from "../../api/conch_pb";
import { useToasts } from "../../window/toasts";
import { useWorkspace } from "../../workspace/workspace";
import { writeFiles } from "./writeFiles";

const file = { model: "digits", path: "config.pbtxt" };

/** A disk of one file behind the app's own messages; versions are the texts themselves. */
const disk: { text: string; draft?: string } = { text: "old" };

function edit(draft?: string) {
  disk.draft = draft;
  const list = draft === undefined ? [] : [{ ...file, version: 7n }];
  useWorkspace.setState({ drafts: create(DraftsSchema, { list }) });
}

beforeEach(() => {
  vi.restoreAllMocks();
  disk.text = "old";
  edit();
  useToasts.setState({ toasts: [] });
  vi.spyOn(clients.editor, "writeFiles").mockImplementation(async ({ files = [] }) => {
    const [asked] = files;
    const version = disk.draft === undefined ? 0n : 7n;
    if (asked?.baseVersion !== disk.text || asked.draftVersion !== version)
      return create(WriteFilesResponseSchema, { changed: [file] });
    const { text: before, draft } = disk;
    disk.text = asked.text ?? "";
    edit(asked.draft);
    return create(WriteFilesResponseSchema, { files: [{ ...file, version: disk.text, before, draft }] });
  });
});

const undo = () => useToasts.getState().toasts[0]?.action?.run();

test("what was written can be undone", async () => {
  expect(
    await writeFiles([{ ...file, text: "new", version: "old" }], { text: "renamed", names: [] }),
  ).toEqual({ ok: true });
  expect(disk.text).toBe("new");
  undo();
  await vi.waitFor(() => expect(disk.text).toBe("old"));
});

test("a file that changed meanwhile is not written, and said so", async () => {
  const answer = await writeFiles([{ ...file, text: "new", version: "older" }], {
    text: "renamed",
    names: [],
  });
  expect(answer).toMatchObject({ ok: false, why: expect.stringContaining("digits/config.pbtxt") });
  expect(disk.text).toBe("old");
});

test("an unsaved text is saved with the change, and is unsaved again when that is undone", async () => {
  edit("old, edited");
  await writeFiles([{ ...file, text: "new, edited", version: "old", draftVersion: 7n }], {
    text: "renamed",
    names: [],
  });
  expect(disk.text).toBe("new, edited");
  undo();
  await vi.waitFor(() => expect(disk).toEqual({ text: "old", draft: "old, edited" }));
});

test("what was edited since is not undone over the edit", async () => {
  await writeFiles([{ ...file, text: "new", version: "old" }], { text: "renamed", names: [] });
  edit("new, edited");
  undo();
  await vi.waitFor(() =>
    expect(useToasts.getState().toasts.at(-1)?.detail).toContain("has been edited since"),
  );
  expect(disk.text).toBe("new");
});
