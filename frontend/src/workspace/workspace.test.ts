import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { WorkspaceUpdateSchema } from "../api/conch_pb";
import { applyUpdate, asSentence, mergeUpdates, useWorkspace, type WorkspaceState } from "./workspace";

const update = (init: MessageInitShape<typeof WorkspaceUpdateSchema>) => create(WorkspaceUpdateSchema, init);

const apply = (...updates: MessageInitShape<typeof WorkspaceUpdateSchema>[]): WorkspaceState =>
  updates.reduce(
    (state: WorkspaceState, init) => applyUpdate(state, update(init)),
    useWorkspace.getInitialState(),
  );

test("adds, changes and removes models", () => {
  const state = apply(
    { seq: 1n, reset: true, models: [{ name: "a" }, { name: "b" }] },
    { seq: 2n, models: [{ name: "a", kind: "ONNX" }, { name: "c" }], removedModels: ["b"] },
  );
  expect([...state.models.keys()]).toEqual(["a", "c"]);
  expect(state.models.get("a")?.kind).toBe("ONNX");
  expect(state.seq).toBe(2n);
});

test("a message begins with a capital, unless with the name of a model or of the server that is shown", () => {
  const shown = apply({
    seq: 1n,
    reset: true,
    models: [{ name: "digits" }],
    engine: { remote: { name: "staging" } },
  });
  useWorkspace.setState(shown);
  expect(asSentence("the disk is full")).toBe("The disk is full");
  expect(asSentence("digits is away")).toBe("digits is away");
  expect(asSentence("staging does not answer.")).toBe("staging does not answer.");
  expect(asSentence("canary does not answer.")).toBe("Canary does not answer.");
});

test("a reset forgets what was known", () => {
  const state = apply(
    { seq: 5n, reset: true, models: [{ name: "a" }], repository: { name: "one" }, engine: { pid: 1 } },
    { seq: 1n, reset: true, models: [{ name: "z" }], repository: { name: "two" } },
  );
  expect([...state.models.keys()]).toEqual(["z"]);
  expect(state.repository?.name).toBe("two");
  expect(state.engine).toBeUndefined();
});

test("a heartbeat changes nothing but says that the connection lives", () => {
  const before = apply({ seq: 1n, reset: true, models: [{ name: "a" }] });
  expect(applyUpdate(before, update({ heartbeat: true }))).toBe(before);
  expect(applyUpdate({ ...before, connection: "lost" }, update({ heartbeat: true })).connection).toBe("live");
});

test("what did not change keeps its identity", () => {
  const before = apply({ seq: 1n, reset: true, models: [{ name: "a" }], notices: [{ id: 1n }] });
  const after = applyUpdate(before, update({ seq: 2n, engine: { pid: 2 } }));
  expect(after.models).toBe(before.models);
  expect(after.notices).toBe(before.notices);
});

test("a notice that comes twice is kept once", () => {
  const state = apply(
    { seq: 1n, reset: true, notices: [{ id: 1n }] },
    { seq: 2n, reset: true, notices: [{ id: 1n }, { id: 2n }] },
  );
  expect(state.notices.map(({ id }) => id)).toEqual([1n, 2n]);
});

test("two updates made one change the same as one after the other", () => {
  const before = apply({
    seq: 1n,
    reset: true,
    models: [{ name: "a" }, { name: "b" }, { name: "c" }],
    engine: { pid: 1 },
    repository: { name: "one" },
  });
  const first = update({
    seq: 2n,
    models: [{ name: "a", kind: "old" }, { name: "b", kind: "old" }, { name: "d" }],
    removedModels: ["c"],
    files: [
      { model: "a", path: "config.pbtxt", version: "1" },
      { model: "b", path: "config.pbtxt", version: "1" },
    ],
    engine: { pid: 2 },
    problems: true,
  });
  const next = update({
    seq: 3n,
    models: [
      { name: "a", kind: "new" },
      { name: "c", kind: "new" },
    ],
    removedModels: ["b", "d"],
    files: [{ model: "a", path: "config.pbtxt", version: "2" }],
    notices: [{ id: 1n }],
  });
  const merged = mergeUpdates(first, next);
  if (!merged) throw new Error("they were not merged");
  const after = applyUpdate(applyUpdate(before, first), next);
  const atOnce = applyUpdate(before, merged);
  const byName = ({ models }: WorkspaceState) =>
    [...models.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  expect(byName(atOnce)).toEqual(byName(after));
  expect(new Set(atOnce.gone)).toEqual(new Set(["b"])); // d came and went unseen
  expect(new Map(atOnce.files)).toEqual(new Map(after.files));
  expect(atOnce).toMatchObject({ seq: 3n, engine: { pid: 2 }, repository: { name: "one" } });
  expect(merged.problems).toBe(true);
});

test("what is told is not merged with what changes after it, a reset with nothing, and a heartbeat adds nothing", () => {
  const change = update({ seq: 2n, models: [{ name: "a" }] });
  expect(mergeUpdates(update({ seq: 1n, notices: [{ id: 1n }] }), change)).toBeUndefined();
  expect(mergeUpdates(change, update({ seq: 3n, reset: true }))).toBeUndefined();
  expect(mergeUpdates(change, update({ heartbeat: true }))).toBe(change);
  expect(mergeUpdates(update({ heartbeat: true }), change)).toBe(change);
});
