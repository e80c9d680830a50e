import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  Engine_State,
  FolderAwaySchema,
  ModelState,
  Notice_Level,
  type WorkspaceUpdate,
  WorkspaceUpdateSchema,
} from "../api/conch_pb";
import { goToModel, goToRepository, usePlace } from "../window/place";
import { toast, toastError, useToasts } from "../window/toasts";
import { loadModel, reloadModel, unloadModel, useModelActions } from "../workspace/modelActions";
import { tryOpenRepository } from "../workspace/openRepository";
import { receive, startWorkspace } from "./session";

let seq = 0n;
const hear = (update: Parameters<typeof create<typeof WorkspaceUpdateSchema>>[1]) => {
  seq++;
  receive({ ...create(WorkspaceUpdateSchema, update), seq } as WorkspaceUpdate);
};
const texts = () => useToasts.getState().toasts.map(({ text }) => text);

beforeEach(() => {
  hear({ reset: true, repository: { id: "r", roots: ["/r"] } });
  useToasts.setState({ toasts: [] });
});

test("a load that was asked for says when it succeeded, wherever one is; others do not", async () => {
  vi.spyOn(clients.models, "load").mockResolvedValue({} as never);
  const loaded = (id: bigint, model: string) => ({
    id,
    level: Notice_Level.INFO,
    model,
    text: `${model} loaded in 0.8 s`,
    cause: `model ${model}`,
  });
  const loading = loadModel("digits");
  hear({ notices: [loaded(901n, "digits"), loaded(902n, "add_sub")] });
  await loading;
  expect(texts()).toEqual(["digits loaded in 0.8 s"]);
  useToasts.setState({ toasts: [] });
  hear({ notices: [loaded(903n, "digits")] });
  expect(texts()).toEqual([]);
});

test("a model that appears on disk is told, wherever one is", () => {
  hear({
    notices: [
      { id: 911n, level: Notice_Level.INFO, model: "resnet50", text: "resnet50 was added", cause: "added" },
    ],
  });
  const [shown] = useToasts.getState().toasts;
  expect([shown?.text, shown?.action?.label]).toEqual(["resnet50 was added", "Show resnet50"]);
});

test("a model that is added and fails is one message, and its own page says it in its stead", () => {
  const at = (id: bigint, text: string, level: Notice_Level, cause: string) => ({
    id,
    level,
    model: "broken",
    text,
    cause,
  });
  hear({
    notices: [
      at(921n, "broken was added", Notice_Level.INFO, "added"),
      at(922n, "broken did not load", Notice_Level.ERROR, "model broken"),
    ],
  });
  expect(texts()).toEqual(["broken did not load"]);
  const window = startWorkspace();
  goToModel("broken");
  expect(texts()).toEqual([]);
  window.destroy();
  goToRepository();
});

test("a message goes when its cause is gone", () => {
  toast({ level: "error", text: "The engine was not restarted", about: "engine" });
  hear({ reset: true, repository: { id: "r", roots: ["/r"] } });
  expect(texts()).toEqual([]);

  const failed = {
    id: 21n,
    level: Notice_Level.ERROR,
    model: "digits",
    text: "failed",
    cause: "model digits",
  };
  hear({ models: [{ name: "digits", state: ModelState.LOADING }], notices: [failed] });
  expect(texts()).toEqual(["failed"]);
  hear({ models: [{ name: "digits", state: ModelState.READY }] });
  expect(texts()).toEqual([]);

  hear({ notices: [{ id: 22n, level: Notice_Level.ERROR, text: "away", cause: "repository" }] });
  expect(texts()).toEqual(["away"]);
  hear({ notices: [{ id: 23n, level: Notice_Level.INFO, text: "back", cause: "repository" }] });
  expect(texts()).toEqual([]);
});

const away = () =>
  new ConnectError("The repository is away", Code.FailedPrecondition, undefined, [
    { desc: FolderAwaySchema, value: {} },
  ]);

const refused = () => Object.keys(useModelActions.getState().refused);

test("what failed because the folder was away is over when the folder is back", async () => {
  const load = vi.spyOn(clients.models, "load");
  load.mockRejectedValueOnce(away()).mockRejectedValueOnce(new Error("the model file is broken"));
  await loadModel("add_sub");
  await reloadModel("read_digit");
  toastError("The problem was not fixed", away());
  const repository = { id: "r", roots: ["/r"] };
  hear({ repository: { ...repository, away: true } });
  hear({ repository: { ...repository, away: true, errors: 1 } });
  expect(refused()).toEqual(["add_sub", "read_digit"]);
  expect(texts()).toEqual(["The problem was not fixed"]);
  hear({ repository });
  expect(refused()).toEqual(["read_digit"]);
  expect(texts()).toEqual([]);

  hear({ models: [{ name: "read_digit", state: ModelState.OLDER_SERVES }] });
  expect(refused()).toEqual(["read_digit"]);
  hear({ models: [{ name: "read_digit", state: ModelState.READY, stateSince: 1n }] });
  expect(refused()).toEqual([]);

  load.mockRejectedValueOnce(new Error("another load took its place"));
  await reloadModel("read_digit");
  hear({ models: [{ name: "read_digit", state: ModelState.READY, stateSince: 1n, errors: 2 }] });
  expect(refused()).toEqual(["read_digit"]);
  hear({ models: [{ name: "read_digit", state: ModelState.READY, stateSince: 2n }] });
  expect(refused()).toEqual([]);
});

test("what failed because the engine was not ready is over when it is", async () => {
  hear({ engine: { state: Engine_State.RESTARTING } });
  vi.spyOn(clients.models, "load").mockRejectedValue(new ConnectError("not ready", Code.Unavailable));
  await loadModel("add_sub");
  toastError("That was not done", new ConnectError("not ready", Code.Unavailable));
  expect([refused(), texts()]).toEqual([["add_sub"], ["That was not done"]]);
  hear({ engine: { state: Engine_State.READY } });
  expect([refused(), texts()]).toEqual([[], []]);
});

test("what a banner says is not said again", () => {
  const access = { code: [{ model: "custom", field: "f", path: "libops.so" }] };
  const text = "custom did not load";
  const notice = { level: Notice_Level.ERROR, model: "custom", text, cause: "model custom" };
  hear({ notices: [{ ...notice, id: 31n }] });
  expect(texts()).toEqual([text]);
  hear({ repository: { id: "r", roots: ["/r"], access } });
  expect(texts()).toEqual([]);
  hear({ notices: [{ ...notice, id: 32n }] });
  expect(texts()).toEqual([]);
});

test("one unload brings one message, which goes when the model serves again", async () => {
  vi.spyOn(clients.models, "unload").mockResolvedValue(undefined as never);
  const ready = (name: string, usedBy: string[] = []) => ({ name, usedBy, state: ModelState.READY });
  hear({ models: [ready("digits", ["read"]), ready("read")] });
  await unloadModel("digits");
  hear({
    models: [{ name: "digits", state: ModelState.UNLOADED }],
    notices: [
      { id: 41n, level: Notice_Level.WARNING, model: "read", text: "read unloaded", cause: "model read" },
      { id: 42n, level: Notice_Level.INFO, model: "digits", text: "digits unloaded", cause: "model digits" },
    ],
  });
  expect(texts()).toEqual(["digits is unloaded; read cannot serve without it"]);
  hear({ models: [ready("digits")] });
  expect(texts()).toEqual([]);
});

test("a server that is shown alone is no repository that another window opened", async () => {
  const alone = (id: string) => hear({ reset: true, repository: { id, name: "", roots: [] } });
  alone("/tmp/alone-1");
  alone("/tmp/alone-2"); // another server is shown
  await Promise.resolve();
  expect(texts()).toEqual([]);
  hear({ reset: true, repository: { id: "e", name: "~/e", roots: ["/e"] } });
  await vi.waitFor(() => expect(texts()).toEqual(["Another window opened ~/e."]));
});

test("a repository that another window opened is told of, one that was asked for here is not", async () => {
  const opened = (id: string) =>
    hear({ reset: true, repository: { id, name: `~/${id}`, roots: [`/${id}`] } });
  opened("a");
  useToasts.setState({ toasts: [] });
  opened("a"); // the connection came back
  expect(texts()).toEqual([]);
  opened("b");
  await vi.waitFor(() => expect(texts()).toHaveLength(1));
  expect(texts()).toEqual(["Another window opened ~/b. What was typed here is kept with ~/a."]);
  opened("b");
  expect(texts()).toEqual([]);

  useToasts.setState({ toasts: [] });
  let answer = (_: { id: string }): void => undefined;
  const answered = new Promise<{ id: string }>((resolve) => {
    answer = resolve;
  });
  vi.spyOn(clients.workspace, "openRepository").mockReturnValue(answered as never);
  const asked = tryOpenRepository("/c");
  opened("c"); // the news may come before the answer
  answer({ id: "c" });
  await asked;
  opened("d");
  await vi.waitFor(() => expect(texts()).toHaveLength(1));
  expect(texts()).toEqual(["Another window opened ~/d. What was typed here is kept with ~/c."]);
});

test.each([Notice_Level.ERROR, Notice_Level.WARNING])(
  "why the model on the screen failed is in its header: it is listed, and covers nothing (%i)",
  (level) => {
    useToasts.setState({ toasts: [], past: [] });
    const failed = { level, text: "digits was not loaded", cause: "model digits" };
    usePlace.setState({ model: "digits" });
    hear({ notices: [{ ...failed, id: 991n + 10n * BigInt(level), model: "digits" }] });
    expect([texts(), useToasts.getState().past.map(({ text }) => text)]).toEqual([
      [],
      ["digits was not loaded"],
    ]);
    usePlace.setState({ model: "add_sub" });
    hear({ notices: [{ ...failed, id: 992n + 10n * BigInt(level), model: "digits" }] });
    expect(texts()).toEqual(["digits was not loaded"]);
    usePlace.setState({ model: "" });
  },
);

test("that the engine is started again is not said any more once it is back", () => {
  const text = "The engine ended unexpectedly: signal: killed. Conch starts it again.";
  hear({
    engine: { state: Engine_State.RESTARTING },
    notices: [{ id: 951n, level: Notice_Level.ERROR, text, cause: "engine" }],
  });
  expect(texts()).toEqual([text]);
  hear({ engine: { state: Engine_State.READY } });
  expect(texts()).toEqual([]);
});
