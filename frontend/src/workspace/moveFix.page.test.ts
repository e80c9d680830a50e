import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  CreateFileResponseSchema,
  CreateFolderResponseSchema,
  DeleteResponseSchema,
  DiagnosticSchema,
  FileProblemsSchema,
  FixSchema,
  MoveFileResponseSchema,
  PlanDeleteResponseSchema,
  ReadFileResponseSchema,
  RepositorySchema,
} from "../api/conch_pb";
import { useToasts } from "../window/toasts";
import { makesFile, repair } from "./repair";
import { useWorkspace } from "./workspace";

const config = create(FileProblemsSchema, { model: "mine", path: "config.pbtxt" });
const found = create(DiagnosticSchema);
const told = () => useToasts.getState().toasts;
const of = (path: string) => ({ model: "mine", path, repository: "r" });
const editor = clients.editor;

beforeEach(() => {
  vi.restoreAllMocks();
  useToasts.setState({ toasts: [] });
  useWorkspace.setState({ repository: create(RepositorySchema, { id: "r" }) });
});

/** The program deletes, and says how many files are in what goes. */
function deletes(count: number) {
  vi.spyOn(editor, "planDelete").mockResolvedValue(create(PlanDeleteResponseSchema, { count }));
  return vi.spyOn(editor, "delete").mockResolvedValue(create(DeleteResponseSchema));
}

test("a fix that moves a file moves it, says where it is now, and is undone with the folder that it made", async () => {
  const move = vi.spyOn(editor, "moveFile").mockResolvedValue(create(MoveFileResponseSchema, { made: "1" }));
  const make = vi.spyOn(editor, "createFolder");
  const remove = deletes(0);
  const fix = create(FixSchema, { title: "Move it", moved: { path: "model.onnx", to: "1/model.onnx" } });
  expect(makesFile(fix)).toBe(true);
  const undo = await repair(config, found, fix);
  expect(move.mock.calls).toMatchObject([[{ ...of("model.onnx"), to: "1/model.onnx" }]]);
  expect(make).not.toHaveBeenCalled();
  expect(told().map(({ text, action }) => [text, action?.label])).toEqual([
    ["mine/model.onnx is now 1/model.onnx", "Undo"],
  ]);
  undo?.();
  await vi.waitFor(() => expect(remove).toHaveBeenCalledWith({ ...of("1"), drafts: [] }));
  expect(move.mock.lastCall).toMatchObject([{ ...of("1/model.onnx"), to: "model.onnx" }]);
});

test("a folder that was there before stays when a move into it is undone", async () => {
  const move = vi.spyOn(editor, "moveFile").mockResolvedValue(create(MoveFileResponseSchema));
  const remove = deletes(0);
  const fix = create(FixSchema, { moved: { path: "model.onnx", to: "1/model.onnx" } });
  (await repair(config, found, fix))?.();
  await vi.waitFor(() => expect(move).toHaveBeenCalledTimes(2));
  expect(remove).not.toHaveBeenCalled();
});

test("the Undo of a fix that makes a folder removes it from the notice, too", async () => {
  vi.spyOn(editor, "createFolder").mockResolvedValue(create(CreateFolderResponseSchema, { made: "1" }));
  const remove = deletes(0);
  expect(await repair(config, found, create(FixSchema, { folder: "1" }))).toBeDefined();
  expect(told().map(({ text }) => text)).toEqual(["mine/1/ was created"]);
  told()[0]?.action?.run();
  await vi.waitFor(() => expect(remove).toHaveBeenCalledWith({ ...of("1"), drafts: [] }));
});

test("a folder that has a file by now is not removed, and that is said", async () => {
  vi.spyOn(editor, "createFolder").mockResolvedValue(create(CreateFolderResponseSchema, { made: "1" }));
  const remove = deletes(1);
  (await repair(config, found, create(FixSchema, { folder: "1" })))?.();
  await vi.waitFor(() => expect(told().at(-1)?.text).toBe("The change was not undone"));
  expect(told().at(-1)?.detail).toContain("Something is in mine/1/ by now. Delete it in Files");
  expect(remove).not.toHaveBeenCalled();
});

test("the Undo of a file that was written removes it unless it was changed, and the folder that it made", async () => {
  vi.spyOn(editor, "createFile").mockResolvedValue(create(CreateFileResponseSchema, { made: "1" }));
  const read = vi
    .spyOn(editor, "readFile")
    .mockResolvedValue(create(ReadFileResponseSchema, { text: "other" }));
  const remove = deletes(0);
  const fix = create(FixSchema, { file: { path: "1/model.py", text: "first" } });
  const undo = await repair(config, found, fix);
  undo?.();
  await vi.waitFor(() => expect(told().at(-1)?.detail).toContain("mine/1/model.py was changed since"));
  expect(remove).not.toHaveBeenCalled();
  read.mockResolvedValue(create(ReadFileResponseSchema, { text: "first" }));
  undo?.();
  await vi.waitFor(() => expect(remove).toHaveBeenCalledTimes(2));
  expect(remove.mock.calls.map(([asked]) => asked.path)).toEqual(["1/model.py", "1"]);
});
