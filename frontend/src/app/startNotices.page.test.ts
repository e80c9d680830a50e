import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test } from "vitest";
import { Engine_State, type EngineSchema, Notice_Level, WorkspaceUpdateSchema } from "../api/conch_pb";
import { useToasts } from "../window/toasts";
import { useWorkspace } from "../workspace/workspace";
import { receive } from "./session";

type EngineInit = NonNullable<Parameters<typeof create<typeof EngineSchema>>[1]>;

const failed = { id: 7n, level: Notice_Level.ERROR, model: "digits", text: "digits did not load" };
const said = () => useToasts.getState().toasts.map(({ text }) => text);

/** What is said of a load that fails after the first update, with the engine as it was then. */
function failsAfter(engine: EngineInit): string[] {
  receive(create(WorkspaceUpdateSchema, { seq: 1n, reset: true, engine, models: [{ name: "digits" }] }));
  receive(create(WorkspaceUpdateSchema, { seq: 2n, notices: [failed] }));
  return said();
}

beforeEach(() => {
  useToasts.setState({ toasts: [], past: [] });
  useWorkspace.setState(useWorkspace.getInitialState(), true);
});

test("a model that fails while the first engine starts or loads what a start loads is no news", () => {
  expect(failsAfter({ state: Engine_State.STARTING })).toEqual([]);
  expect(failsAfter({ state: Engine_State.READY, loading: true })).toEqual([]);
});

test("a model that fails later, or after a restart, is told of", () => {
  expect(failsAfter({ state: Engine_State.READY })).toHaveLength(1);
  useToasts.setState({ toasts: [] });
  useWorkspace.setState(useWorkspace.getInitialState(), true);
  expect(failsAfter({ state: Engine_State.READY, loading: true, restarts: 1 })).toHaveLength(1);
});

test("that a process of a model runs again is said wherever one is, in place of its death", () => {
  receive(
    create(WorkspaceUpdateSchema, {
      seq: 1n,
      reset: true,
      engine: { state: Engine_State.READY },
      models: [{ name: "digits" }],
    }),
  );
  const died = { ...failed, level: Notice_Level.WARNING, text: "digits: a process of the model died" };
  receive(create(WorkspaceUpdateSchema, { seq: 2n, notices: [died] }));
  const back = { id: 8n, level: Notice_Level.INFO, model: "digits", text: "it runs again", cause: "revived" };
  receive(create(WorkspaceUpdateSchema, { seq: 3n, notices: [back] }));
  expect(said()).toEqual(["it runs again"]);
});
