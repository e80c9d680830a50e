import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  CreateFileResponseSchema,
  CreateFolderResponseSchema,
  DeleteResponseSchema,
  DraftsSchema,
  ReadDraftResponseSchema,
  ReadFileResponseSchema,
} from "../../api/conch_pb";
import { hold, useToasts } from "../../window/toasts";
import { useWorkspace } from "../../workspace/workspace";
import { button, showFiles } from "./shown";

let end: () => Promise<void>;

const edit = (path: string) =>
  useWorkspace.setState({ drafts: create(DraftsSchema, { list: [{ model: "mine", path, version: 7n }] }) });

beforeEach(async () => {
  useToasts.setState({ toasts: [], past: [] });
  hold(true);
  const files = ["config.pbtxt", "1/model.py"].map((path) => ({ path, text: true }));
  vi.spyOn(clients.editor, "readFile").mockResolvedValue(
    create(ReadFileResponseSchema, { text: "saved", exists: true }),
  );
  vi.spyOn(clients.editor, "readDraft").mockResolvedValue(
    create(ReadDraftResponseSchema, { draft: { text: "typed" } }),
  );
  end = await showFiles(files);
});

afterEach(async () => {
  await end();
  useWorkspace.setState({ drafts: undefined });
});

const click = (name: string) => act(async () => button(name)?.click());
const dialog = () => document.querySelector("[role=dialog]");
const box = () => dialog()?.querySelector<HTMLInputElement>("input[type=checkbox]");
const made = () => vi.spyOn(clients.editor, "createFile").mockResolvedValue(create(CreateFileResponseSchema));
const copy = { model: "mine", path: "2/model.py", repository: "r" };

test("a new version of an edited program has the unsaved text, and says where that stays", async () => {
  const make = made();
  await act(async () => edit("1/model.py"));
  await click("New version…");
  expect(dialog()?.textContent).toContain(
    "1/model.py has unsaved changes. They go into the copy, and stay unsaved in the file itself.",
  );
  await click("Create 2/");
  expect(make).toHaveBeenCalledWith({ ...copy, text: "typed" });
});

test("or the text that is saved, where that is wanted", async () => {
  const make = made();
  await act(async () => edit("1/model.py"));
  await click("New version…");
  await act(async () => box()?.click());
  expect(dialog()?.textContent).toContain("Its unsaved changes stay where they are.");
  await click("Create 2/");
  expect(make).toHaveBeenCalledWith({ ...copy, text: "saved" });
});

test("nothing is asked where the program is saved", async () => {
  await act(async () => edit("config.pbtxt"));
  await click("New version…");
  expect([dialog() === null, box()]).toEqual([false, null]);
});

test("a new version is told, and Undo puts it into the trash", async () => {
  vi.spyOn(clients.editor, "createFolder").mockResolvedValue(create(CreateFolderResponseSchema));
  const gone = vi.spyOn(clients.editor, "delete").mockResolvedValue(create(DeleteResponseSchema));
  await click("New version…");
  await act(async () => dialog()?.querySelectorAll<HTMLElement>("[role=radio]")[2]?.click());
  await click("Create 2/");
  const [toast] = useToasts.getState().toasts;
  expect([toast?.text, toast?.action?.label]).toEqual(["Version 2 of mine was made", "Undo"]);
  await act(async () => toast?.action?.run());
  expect(gone.mock.lastCall?.[0]).toEqual({ model: "mine", path: "2", drafts: [], repository: "r" });
});

test("a file that is not saved has a mark", async () => {
  const marked = () =>
    [...document.querySelectorAll("tr")].map((row) => row.querySelector("[aria-label='not saved']") !== null);
  expect(marked()).toEqual([false, false, false]);
  await act(async () => edit("1/model.py"));
  expect(marked()).toEqual([false, false, true]);
});
