import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { DeleteResponseSchema, RepositorySchema, UndoDeleteResponseSchema } from "../../api/conch_pb";
import { takeUp, useToasts } from "../../window/toasts";
import { useWorkspace } from "../../workspace/workspace";
import { deleteFiles } from "./deleteFiles";

const open = (id: string) =>
  useWorkspace.setState({ repository: create(RepositorySchema, { id, roots: [id] }) });
const remove = (path: string) => deleteFiles("mine", path, [], new AbortController().signal);
const shown = () => useToasts.getState().toasts;

beforeEach(() => {
  useToasts.setState({ toasts: [], past: [] });
  let id = 0n;
  vi.spyOn(clients.editor, "delete").mockImplementation(async () =>
    create(DeleteResponseSchema, { id: ++id }),
  );
});

afterEach(() => vi.restoreAllMocks());

test("Undo is for the repository in which something was deleted", async () => {
  const back = vi.spyOn(clients.editor, "undoDelete").mockResolvedValue(create(UndoDeleteResponseSchema));
  open("a");
  await remove("a.txt");
  open("b");
  await remove("b.txt");
  const [told] = shown();
  expect(told?.text).toBe("mine/b.txt was moved to the trash");
  if (told) takeUp(told);
  await vi.waitFor(() => expect(back).toHaveBeenCalledTimes(1));
  const first = useToasts.getState().past.find(({ text }) => text.startsWith("mine/a.txt"));
  if (first) takeUp(first);
  await vi.waitFor(() => expect(back).toHaveBeenCalledTimes(2));
  expect(back.mock.calls.map(([asked]) => asked)).toEqual([
    { id: 2n, repository: "b" },
    { id: 1n, repository: "a" },
  ]);
});

test("what was not put back can be tried again", async () => {
  const back = vi
    .spyOn(clients.editor, "undoDelete")
    .mockRejectedValueOnce(new ConnectError("something of that name is there again", Code.AlreadyExists))
    .mockResolvedValue(create(UndoDeleteResponseSchema));
  open("a");
  await remove("a.txt");
  const [told] = shown();
  if (told) takeUp(told);
  await vi.waitFor(() => expect(shown().at(-1)?.action?.label).toBe("Try again"));
  const failed = shown().at(-1);
  if (failed) takeUp(failed);
  await vi.waitFor(() => expect(shown().at(-1)?.text).toBe("mine/a.txt was put back"));
  expect(back).toHaveBeenCalledTimes(2);
});

test("unsaved texts without room are told apart from the file that is back, and can be tried again", async () => {
  const unkept = [{ model: "mine", path: "a.txt" }];
  const why = "500 other files have unsaved changes, and no more are kept; save or discard some";
  const back = vi
    .spyOn(clients.editor, "undoDelete")
    .mockResolvedValueOnce(create(UndoDeleteResponseSchema, { unkept, why }))
    .mockRejectedValueOnce(new ConnectError("the disk is full", Code.Internal))
    .mockResolvedValue(create(UndoDeleteResponseSchema));
  const last = () => shown().at(-1);
  const takeUpLast = () => {
    const told = last();
    if (told) takeUp(told);
  };
  open("a");
  await remove("a.txt");
  takeUpLast();
  await vi.waitFor(() =>
    expect(last()).toMatchObject({
      level: "error",
      text: "mine/a.txt was put back, but not its unsaved changes",
      detail: `mine/a.txt: ${why}`,
    }),
  );
  takeUpLast();
  await vi.waitFor(() => expect(last()?.text).toBe("The unsaved changes of mine/a.txt are not back"));
  takeUpLast();
  await vi.waitFor(() => expect(last()?.text).toBe("The unsaved changes of mine/a.txt are back"));
  expect(back).toHaveBeenCalledTimes(3);
});
