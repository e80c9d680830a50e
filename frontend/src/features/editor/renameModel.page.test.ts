import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { RenameModelResponseSchema, RepositorySchema } from "../../api/conch_pb";
import { takeUp, useToasts } from "../../window/toasts";
import { useWorkspace } from "../../workspace/workspace";
import { renameModel } from "./renameModel";

const open = (id: string) =>
  useWorkspace.setState({ repository: create(RepositorySchema, { id, roots: [id] }) });

beforeEach(() => useToasts.setState({ toasts: [], past: [] }));
afterEach(() => vi.restoreAllMocks());

test("Undo renames no model of another repository", async () => {
  const rename = vi.spyOn(clients.editor, "renameModel").mockResolvedValue(create(RenameModelResponseSchema));
  open("a");
  expect(await renameModel("old", "new", [], "old is now new")).toEqual({ ok: true });
  open("b");
  const [told] = useToasts.getState().toasts;
  if (told) takeUp(told);
  await vi.waitFor(() => expect(rename).toHaveBeenCalledTimes(2));
  expect(rename.mock.calls[1]?.[0]).toMatchObject({ model: "new", name: "old", repository: "a" });
});
