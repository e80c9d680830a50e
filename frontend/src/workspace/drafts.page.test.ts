import { create } from "@bufbuild/protobuf";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  DiscardDraftsResponseSchema,
  DraftInfoSchema,
  DraftSchema,
  RepositorySchema,
  RestoreDraftsResponseSchema,
} from "../api/conch_pb";
import { takeUp, useToasts } from "../window/toasts";
import { discard } from "./drafts";
import { useWorkspace } from "./workspace";

afterEach(() => vi.restoreAllMocks());

const last = () => useToasts.getState().toasts.at(-1);

function takeUpLast(): void {
  const told = last();
  if (told) takeUp(told);
}

test("discarded texts that have no room when they come back are kept for another try", async () => {
  useWorkspace.setState({ repository: create(RepositorySchema, { id: "r", roots: ["r"] }) });
  const drafts = ["a.txt", "b.txt"].map((path) => create(DraftSchema, { model: "mine", path, text: path }));
  vi.spyOn(clients.editor, "discardDrafts").mockResolvedValue(
    create(DiscardDraftsResponseSchema, { drafts }),
  );
  const unkept = [{ model: "mine", path: "b.txt" }];
  const restore = vi
    .spyOn(clients.editor, "restoreDrafts")
    .mockResolvedValueOnce(create(RestoreDraftsResponseSchema, { unkept, why: "no room" }))
    .mockResolvedValue(create(RestoreDraftsResponseSchema));
  await discard(drafts.map(({ model, path }) => create(DraftInfoSchema, { model, path })));
  takeUpLast();
  const text = "Unsaved changes in 1 file were not brought back";
  await vi.waitFor(() => expect(last()).toMatchObject({ text, detail: "mine/b.txt: no room" }));
  takeUpLast();
  await vi.waitFor(() => expect(restore).toHaveBeenCalledTimes(2));
  expect(restore.mock.calls[1]?.[0].drafts).toEqual([drafts[1]]);
});
