import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  type GetPlaceResponse,
  GetPlaceResponseSchema,
  ListHistoryResponseSchema,
  WorkspaceUpdateSchema,
} from "../api/conch_pb";
import { followKept } from "../window/kept";
import { goToModel, goToRepository, usePlace } from "../window/place";
import { applyUpdate, useWorkspace } from "../workspace/workspace";
import { followRepository } from "./kept";

/** Opens a repository whose place is told when the answer is given. */
function opens(root: string, models: string[]): (page: string) => Promise<void> {
  let resolve = (_: GetPlaceResponse): void => {};
  const answer = new Promise<GetPlaceResponse>((keep) => {
    resolve = keep;
  });
  vi.spyOn(clients.workspace, "getPlace").mockReturnValue(answer);
  const update = create(WorkspaceUpdateSchema, {
    seq: 1n,
    reset: true,
    repository: { id: root, roots: [root] },
    models: models.map((name) => ({ name })),
  });
  useWorkspace.setState(applyUpdate(useWorkspace.getState(), update), true);
  followRepository();
  return async (page) => {
    resolve(create(GetPlaceResponseSchema, { roots: [root], place: JSON.stringify({ page }) }));
    await new Promise((done) => setTimeout(done));
  };
}

beforeEach(async () => {
  vi.spyOn(clients.tryIt, "listHistory").mockResolvedValue(create(ListHistoryResponseSchema));
  vi.spyOn(clients.workspace, "keepPlace").mockRejectedValue(new Error("not kept here"));
  goToRepository();
  await opens("/first", ["digits", "old"])("#/overview");
});

test("another repository is shown at the page where one was", async () => {
  goToModel("digits");
  const answer = opens("/second", ["add_sub", "digits"]);
  expect(usePlace.getState().model).toBe("digits");
  await answer("#/models/add_sub/log");
  expect(usePlace.getState()).toMatchObject({ model: "add_sub", modelTab: "log" });
});

test("a model that is chosen before that page is known stays chosen", async () => {
  const answer = opens("/third", ["add_sub", "digits"]);
  goToModel("digits");
  await answer("#/models/add_sub/log");
  expect(usePlace.getState().model).toBe("digits");
});

test("it is kept as the page where one was", async () => {
  const leave = followKept(() => useWorkspace.getState().repository?.roots ?? []);
  const answer = opens("/fifth", ["add_sub", "digits"]);
  goToModel("digits");
  await answer("#/models/add_sub/log");
  expect(clients.workspace.keepPlace).toHaveBeenLastCalledWith({
    roots: ["/fifth"],
    place: expect.stringContaining("#/models/digits"),
  });
  leave();
});

test("a model of the repository before does not", async () => {
  const answer = opens("/fourth", ["add_sub"]);
  goToModel("old");
  await answer("#/models/add_sub/log");
  expect(usePlace.getState().model).toBe("add_sub");
});
