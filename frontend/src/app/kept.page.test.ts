import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  type GetPlaceResponse,
  GetPlaceResponseSchema,
  KeepPlaceResponseSchema,
  ListHistoryResponseSchema,
  WorkspaceUpdateSchema,
} from "../api/conch_pb";
import { followKept } from "../window/kept";
import { goToModel, goToRepository, usePlace } from "../window/place";
import { applyUpdate, useWorkspace } from "../workspace/workspace";
import { followRepository } from "./kept";

/** Opens a repository. The place is told when the answer is given; it may be of another repository, which is open by then. */
function opens(root: string, models: string[]): (page: string, of?: string) => Promise<void> {
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
  return async (page, of = root) => {
    resolve(create(GetPlaceResponseSchema, { roots: [of], place: JSON.stringify({ page }) }));
    await new Promise((done) => setTimeout(done));
  };
}

beforeEach(async () => {
  vi.spyOn(clients.tryIt, "listHistory").mockResolvedValue(create(ListHistoryResponseSchema));
  vi.spyOn(clients.workspace, "keepPlace").mockReset().mockRejectedValue(new Error("not kept here"));
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

test("a page before that is kept late is not kept over the newest one", async () => {
  const leave = followKept(() => useWorkspace.getState().repository?.roots ?? []);
  await opens("/sixth", ["add_sub", "digits"])("#/overview");
  const keep = vi.spyOn(clients.workspace, "keepPlace").mockClear();
  const answers: (() => void)[] = [];
  keep.mockImplementation(
    () => new Promise((done) => answers.push(() => done(create(KeepPlaceResponseSchema)))),
  );
  const pages = () => keep.mock.calls.map(([{ place = "" }]) => JSON.parse(place).page);
  goToModel("digits", "try");
  goToModel("digits", "log");
  goToModel("add_sub", "try");
  expect(pages()).toEqual(["#/models/digits/try"]);
  answers[0]?.();
  await vi.waitFor(() => expect(pages()).toEqual(["#/models/digits/try", "#/models/add_sub/try"]));
  goToModel("digits", "try");
  document.dispatchEvent(new Event("visibilitychange")); // its tab is seen again
  expect(pages()).toHaveLength(2);
  window.dispatchEvent(new Event("pagehide"));
  expect(pages().slice(2)).toEqual(["#/models/digits/try"]);
  for (const answer of answers) answer();
  leave();
});

test("a model of the repository before does not", async () => {
  const answer = opens("/fourth", ["add_sub"]);
  goToModel("old");
  await answer("#/models/add_sub/log");
  expect(usePlace.getState().model).toBe("add_sub");
});

/** Opens two repositories one after the other, with the window following the place. */
function opensTwo(one: string, two: string) {
  const leave = followKept(() => useWorkspace.getState().repository?.roots ?? []);
  const first = opens(one, ["add_sub", "digits"]);
  const second = opens(two, ["digits", "old"]);
  return { first, second, leave };
}

const isOld = () => expect(usePlace.getState()).toMatchObject({ model: "old", modelTab: "log" });

test("the page of a repository is shown and stays kept when another one was opened just before", async () => {
  const { first, second, leave } = opensTwo("/sixth", "/seventh");
  await first("#/models/add_sub");
  await second("#/models/old/log");
  isOld();
  expect(clients.workspace.keepPlace).not.toHaveBeenCalled();
  leave();
});

test("so it is when the later answer comes first", async () => {
  const { first, second, leave } = opensTwo("/eighth", "/ninth");
  await second("#/models/old/log");
  await first("#/models/digits");
  isOld();
  goToModel("digits");
  expect(clients.workspace.keepPlace).toHaveBeenLastCalledWith({
    roots: ["/ninth"],
    place: expect.stringContaining("#/models/digits"),
  });
  leave();
});

test("an answer of a repository that the window does not know yet waits for that", async () => {
  const early = opens("/tenth", ["add_sub"]);
  await early("#/models/old/log", "/eleventh");
  const answer = opens("/eleventh", ["digits", "old"]);
  await answer("#/models/old/log");
  isOld();
});

test("who comes back before the other's page is known finds all as it was", async () => {
  goToModel("old", "log");
  const other = opens("/twelfth", ["add_sub"]);
  const back = opens("/first", ["digits", "old"]);
  await other("#/models/add_sub");
  await back("#/overview");
  isOld();
});
