import { afterEach, beforeEach, expect, test, vi } from "vitest";

beforeEach(() => sessionStorage.clear());
afterEach(() => vi.resetModules());

/** The messages of a page that was just loaded. */
const load = async () => {
  vi.resetModules();
  return import("./toasts");
};
type Page = Awaited<ReturnType<typeof load>>;
const past = ({ useToasts }: Page) =>
  useToasts.getState().past.map(({ text, detail, count }) => [text, detail, count]);

test("past notices are there after a reload, without what they offered", async () => {
  const before = await load();
  before.toast({
    level: "error",
    text: "That failed",
    detail: "no room",
    action: { label: "Again", run: () => {} },
  });
  before.toast({ level: "error", text: "That failed", detail: "no room" });
  before.markSeen();
  before.toast({ level: "info", text: "digits was loaded", model: "digits" });
  const after = await load();
  expect(past(after)).toEqual(past(before));
  expect(after.useToasts.getState()).toMatchObject({ toasts: [], seen: before.useToasts.getState().seen });
  expect(after.useToasts.getState().past.some(({ action }) => action)).toBe(false);
  after.toast({ level: "error", text: "That failed" });
  const ids = after.useToasts.getState().past.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(Math.max(...ids)).toBe(ids[0]);
  after.forgetPast();
  expect(past(await load())).toEqual([]);
});

test("the session holds a bounded number of bounded texts, written once for all that comes together, and damage is no notice", async () => {
  const page = await load();
  const writes = vi.spyOn(Storage.prototype, "setItem");
  for (let i = 0; i < 120; i++) page.list({ level: "error", text: `${i} ${"x".repeat(9000)}` });
  await Promise.resolve();
  expect(writes).toHaveBeenCalledTimes(1);
  const text = sessionStorage.getItem("conch-notices") ?? "";
  expect(text.length).toBeLessThan(500_000);
  expect((await load()).useToasts.getState().past).toHaveLength(100);
  sessionStorage.setItem(
    "conch-notices",
    '{"past":[{"id":"a"},null,{"id":1,"level":"loud","text":"","time":1,"count":1}]}',
  );
  expect(past(await load())).toEqual([]);
  sessionStorage.setItem("conch-notices", "{");
  expect(past(await load())).toEqual([]);
});
