import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  Engine_State,
  EngineSchema,
  Notice_Action,
  Notice_Level,
  WorkspaceUpdateSchema,
} from "../api/conch_pb";
import { useToasts } from "../window/toasts";
import { useWorkspace } from "../workspace/workspace";
import { engineStatus, wantsRestart } from "./engine";
import { receive } from "./session";

const engineIn = (state: Engine_State) => create(EngineSchema, { state });

beforeEach(() => useToasts.setState({ toasts: [] }));

test("an engine that does not answer is not shown as ready, and can be restarted", () => {
  expect(engineStatus(engineIn(Engine_State.SILENT), "live")).toEqual({
    word: "Engine does not answer",
    tone: "err",
  });
  expect(wantsRestart(engineIn(Engine_State.SILENT))).toBe(true);
  expect(wantsRestart(engineIn(Engine_State.STOPPED))).toBe(true);
  expect(wantsRestart(engineIn(Engine_State.READY))).toBe(false);
});

test("an engine that still loads the models of its start is not shown as ready", () => {
  const engine = create(EngineSchema, { state: Engine_State.READY, loading: true });
  expect(engineStatus(engine, "live")).toEqual({ word: "Engine loading", tone: "busy" });
  expect(engineStatus({ ...engine, loading: false }, "live")).toEqual({ word: "Engine ready", tone: "ok" });
});

test("a notice with an action brings a button that does it", () => {
  const restart = vi.spyOn(clients.workspace, "restartEngine").mockResolvedValue(undefined as never);
  receive(create(WorkspaceUpdateSchema, { seq: 1n, reset: true }));
  const text = "The engine does not answer.";
  receive(
    create(WorkspaceUpdateSchema, {
      seq: 2n,
      notices: [
        { id: 1n, level: Notice_Level.ERROR, text, action: Notice_Action.RESTART_ENGINE, cause: "engine" },
      ],
    }),
  );
  const [shown] = useToasts.getState().toasts;
  expect([shown?.text, shown?.action?.label]).toEqual([text, "Restart the engine"]); // as the palette has it
  shown?.action?.run();
  expect(restart).toHaveBeenCalledOnce();
  receive(create(WorkspaceUpdateSchema, { seq: 3n, engine: { state: Engine_State.READY } }));
  expect(useToasts.getState().toasts).toEqual([]);
});

test("what the banner says of an engine that is down is not said again", () => {
  const text = "The engine does not answer.";
  const notice = { id: 11n, level: Notice_Level.ERROR, text, cause: "engine" };
  receive(create(WorkspaceUpdateSchema, { seq: 11n, reset: true, engine: { state: Engine_State.READY } }));
  receive(create(WorkspaceUpdateSchema, { seq: 12n, notices: [notice] }));
  expect(useToasts.getState().toasts).toHaveLength(1);
  receive(create(WorkspaceUpdateSchema, { seq: 13n, engine: { state: Engine_State.SILENT } }));
  expect(useToasts.getState().toasts).toEqual([]);
  receive(create(WorkspaceUpdateSchema, { seq: 14n, notices: [{ ...notice, id: 12n }] }));
  expect(useToasts.getState().toasts).toEqual([]);
});

test("what happened to the history before the page was there is said", () => {
  useWorkspace.setState({ seq: 0n, notices: [] });
  const text = "Another program has the history locked.";
  receive(
    create(WorkspaceUpdateSchema, {
      seq: 1n,
      reset: true,
      notices: [
        { id: 7n, level: Notice_Level.WARNING, text },
        { id: 8n, level: Notice_Level.ERROR, model: "digits", text: "digits did not load" },
      ],
    }),
  );
  expect(useToasts.getState().toasts.map((shown) => shown.text)).toEqual([text]);
});
