import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { Engine_State, GetModelResponseSchema, WorkspaceUpdateSchema } from "../api/conch_pb";
import { modelQuery, queryClient } from "../api/queries";
import { useToasts } from "../window/toasts";
import { loadAllModels, loadModel, stopLoad, unloadModel, useModelActions } from "../workspace/modelActions";
import { receive } from "./session";

const hear = (update: MessageInitShape<typeof WorkspaceUpdateSchema>) =>
  receive(create(WorkspaceUpdateSchema, update));
/** A repository is opened, or told once more. */
const open = (id: string) =>
  hear({
    reset: true,
    repository: { id, name: id, roots: [`/${id}`] },
    engine: { state: Engine_State.READY },
    models: [{ name: "digits" }],
  });
/** Another server is shown, "" for this machine. */
const show = (name: string) =>
  hear({ engine: { state: Engine_State.READY, remote: name === "" ? undefined : { name, here: true } } });

/** A call that ends when the test says so. */
function later(method: "load" | "unload" | "stopLoad" | "loadAll") {
  let end: { resolve: (answer: unknown) => void; reject: (error: Error) => void } | undefined;
  vi.spyOn(clients.models, method).mockImplementation(
    () => new Promise((resolve, reject) => (end = { resolve, reject })) as never,
  );
  return {
    resolve: (answer: unknown = {}) => end?.resolve(answer),
    reject: () => end?.reject(new Error("no such file")),
  };
}

const texts = () =>
  useToasts
    .getState()
    .toasts.filter(({ about }) => about !== "repository")
    .map(({ text }) => text);
const state = () => {
  const { pending, refused } = useModelActions.getState();
  return [pending.digits, refused.digits?.reason];
};

beforeEach(() => {
  vi.restoreAllMocks();
  open("first");
  useToasts.setState({ toasts: [] });
});

test.each([
  ["repository", () => open("second")],
  ["server", () => show("staging")],
])(
  "a load that fails is said of the model that it was asked for, not of one of another %s",
  async (_, go) => {
    const first = later("load");
    const loading = loadModel("digits");
    expect(state()).toEqual(["load", undefined]);
    go();
    expect(state()).toEqual([undefined, undefined]);
    const second = later("load");
    const again = loadModel("digits");
    first.reject();
    await loading;
    expect(state()).toEqual(["load", undefined]); // the second one goes on
    expect(texts()).toEqual(["digits of first was not loaded"]);
    second.reject();
    await again;
    expect(state()).toEqual([undefined, "no such file"]);
  },
);

test("a repository that is told once more keeps what is being done", async () => {
  const call = later("load");
  const loading = loadModel("digits");
  open("first");
  expect(state()).toEqual(["load", undefined]);
  call.reject();
  await loading;
  expect(state()).toEqual([undefined, "no such file"]);
});

test("what was unloaded, stopped or loaded in another repository is not said of this one", async () => {
  const calls = [later("unload"), later("stopLoad"), later("loadAll")];
  const asked = [unloadModel("digits"), stopLoad("digits"), loadAllModels()];
  await Promise.resolve(); // all three are asked
  open("second");
  expect(useModelActions.getState()).toMatchObject({ loadingAll: false, stopping: new Set() });
  calls[0]?.resolve();
  calls[1]?.reject();
  calls[2]?.resolve({ loaded: ["digits"], failed: [] });
  await Promise.all(asked);
  expect([texts(), state()]).toEqual([[], [undefined, undefined]]);
});

test.each([
  ["repository", () => open("second")],
  ["server", () => show("staging")],
])("what is known of a model is not that of another %s", async (_, go) => {
  const getModel = vi.spyOn(clients.models, "getModel");
  getModel.mockResolvedValue(
    create(GetModelResponseSchema, { summary: { name: "digits" }, decoupled: true }),
  );
  await queryClient.fetchQuery(modelQuery("digits"));
  getModel.mockReturnValue(new Promise(() => {}));
  go();
  expect(queryClient.getQueryData(modelQuery("digits").queryKey)).toBeUndefined();
});
