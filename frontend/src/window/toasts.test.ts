import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  dismiss,
  ERROR_MS,
  forgetPast,
  hold,
  inSight,
  list,
  reword,
  SUCCESS_MS,
  settle,
  takeUp,
  toast,
  toastError,
  useToasts,
} from "./toasts";

const shown = () => inSight(useToasts.getState().toasts).shown.map(({ text }) => text);
const past = () => useToasts.getState().past.map(({ text, count }) => [text, count]);

beforeEach(() => {
  vi.useFakeTimers();
  hold(false);
  useToasts.setState({ toasts: [], past: [], seen: 0 });
});

afterEach(() => vi.useRealTimers());

test("success leaves after 4 seconds, an error after 10", () => {
  expect([SUCCESS_MS, ERROR_MS]).toEqual([4_000, 10_000]);
  toast({ level: "info", text: "loaded" });
  toast({ level: "error", text: "failed" });
  vi.advanceTimersByTime(3_999);
  expect(shown()).toEqual(["loaded", "failed"]);
  vi.advanceTimersByTime(1);
  expect(shown()).toEqual(["failed"]);
  vi.advanceTimersByTime(6_000);
  expect(shown()).toEqual([]);
});

test("both wait while the pointer or the focus is on them, and then have their whole time again", () => {
  toast({ level: "error", text: "failed" });
  vi.advanceTimersByTime(9_000);
  hold(true);
  toast({ level: "info", text: "loaded" });
  vi.advanceTimersByTime(60_000);
  expect(shown()).toEqual(["failed", "loaded"]);
  hold(false);
  vi.advanceTimersByTime(3_999);
  expect(shown()).toEqual(["failed", "loaded"]);
  vi.advanceTimersByTime(6_001);
  expect(shown()).toEqual([]);
});

test("at most three are shown, and how many others there are; one that leaves makes room for the one before", () => {
  for (const text of ["a", "b", "c", "d", "e"]) toast({ level: "error", text });
  expect(shown()).toEqual(["c", "d", "e"]);
  expect(inSight(useToasts.getState().toasts).more).toBe(2);
  expect(past()).toEqual(["e", "d", "c", "b", "a"].map((text) => [text, 1]));
  const [, , c] = useToasts.getState().toasts;
  dismiss(c?.id ?? 0);
  expect(shown()).toEqual(["b", "d", "e"]);
  vi.advanceTimersByTime(ERROR_MS);
  expect(useToasts.getState().toasts).toEqual([]);
});

test("the list has one line for what failed again for the same reason, in better words once they are known", () => {
  const failed = { level: "error", text: "digits did not load", about: "model digits" } as const;
  const fail = (reason: string) => toast({ ...failed, detail: reason, reason });
  const details = () => useToasts.getState().past.map(({ detail, count }) => [detail, count]);
  fail("raw");
  vi.advanceTimersByTime(ERROR_MS);
  toast({ level: "info", text: "digits loaded in 5 ms", about: "model digits" });
  vi.advanceTimersByTime(SUCCESS_MS);
  fail("raw");
  reword(useToasts.getState().past[0]?.id ?? 0, "better");
  vi.advanceTimersByTime(ERROR_MS);
  list({ ...failed, detail: "raw", reason: "raw" });
  expect(details()).toEqual([
    ["better", 3],
    [undefined, 1],
  ]);
  fail("another");
  expect(details()[0]).toEqual(["another", 1]);
  expect(details()[1]).toEqual(["better", 3]);
});

test("what succeeded is listed each time", () => {
  for (let i = 0; i < 2; i++) {
    toast({ level: "info", text: "digits unloaded", about: "model digits" });
    vi.advanceTimersByTime(SUCCESS_MS);
  }
  expect(past()).toEqual([
    ["digits unloaded", 1],
    ["digits unloaded", 1],
  ]);
});

test("notices of one cause are one notice with the newest words and a count", () => {
  toast({ level: "error", text: "digits failed: no file", about: "model digits" });
  toast({ level: "error", text: "other" });
  toast({ level: "error", text: "digits failed: wrong shape", about: "model digits" });
  for (let i = 0; i < 4; i++) toast({ level: "error", text: "That was not done" });
  expect(past()).toEqual([
    ["That was not done", 4],
    ["digits failed: wrong shape", 2],
    ["other", 1],
  ]);
  expect(shown()).toEqual(["other", "digits failed: wrong shape", "That was not done"]);
});

test("what succeeded in other words takes the place of what was shown, is not counted, and leaves it in the list", () => {
  const about = "model digits";
  toast({ level: "info", text: "digits reloaded in 5 ms", about });
  toast({ level: "info", text: "digits unloaded", about });
  expect(shown()).toEqual(["digits unloaded"]);
  toast({ level: "error", text: "digits failed", about });
  toast({ level: "info", text: "digits loaded in 5 ms", about });
  expect(shown()).toEqual(["digits loaded in 5 ms"]);
  expect(past()).toEqual([
    ["digits loaded in 5 ms", 1],
    ["digits failed", 1],
    ["digits unloaded", 1],
    ["digits reloaded in 5 ms", 1],
  ]);
});

test("many errors for want of one engine are one notice", () => {
  const away = new ConnectError("The engine does not run.", Code.Unavailable);
  for (const text of ["a", "b", "c"]) toastError(text, away);
  expect(past()).toEqual([["c", 3]]);
  settle("engine");
  expect(shown()).toEqual([]);
  expect(past()).toEqual([["c", 3]]);
});

test("the last hundred are kept, with their times, until they are cleared", () => {
  vi.setSystemTime(5_000);
  for (let i = 0; i < 120; i++) toast({ level: "info", text: `n${i}` });
  const { past } = useToasts.getState();
  expect([past.length, past[0]?.text, past[99]?.text, past[0]?.time]).toEqual([100, "n119", "n20", 5_000]);
  forgetPast();
  expect(useToasts.getState().past).toEqual([]);
});

test("an undo is in the list after its notice has gone, and can be done once", () => {
  const undone: string[] = [];
  const undo = (what: string) => ({ label: "Undo", run: () => undone.push(what) });
  toast({ level: "info", text: "saved", action: undo("first") });
  toast({ level: "info", text: "saved", action: undo("second") });
  vi.advanceTimersByTime(ERROR_MS);
  expect(shown()).toEqual([]);
  for (const notice of useToasts.getState().past) takeUp(notice);
  expect(undone).toEqual(["second", "first"]);
  expect(useToasts.getState().past.map(({ action }) => action)).toEqual([undefined, undefined]);
});
