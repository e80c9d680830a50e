import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { AnalyzeResponseSchema } from "../../api/conch_pb";
import { useWorkspace } from "../../workspace/workspace";
import { file, restartApp, startApp } from "./fakeApp";
import { sessionOf } from "./sessions";

// What is typed while the workbench does not answer is in this page alone.

beforeEach(startApp);

/** Whether the browser would ask before it leaves. */
function asks(): boolean {
  const event = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(event);
  return event.defaultPrevented;
}

test("a page asks before it drops what no workbench has", async () => {
  const session = sessionOf(file, "/models");
  session.retry();
  await vi.waitFor(() => expect(session.store.getState().judged).toBeGreaterThan(0));
  useWorkspace.setState({ connection: "lost" });
  expect(asks()).toBe(false);

  const answers = vi.spyOn(clients.editor, "analyze").mockRejectedValue(new Error("no answer"));
  session.replace("typed while the workbench is gone");
  expect(session.isHereAlone()).toBe(true);
  expect(asks()).toBe(true);

  answers.mockRestore();
  restartApp();
  session.judge();
  await vi.waitFor(() => expect(session.isHereAlone()).toBe(false));
  expect(asks()).toBe(false);
});

test("a page asks before it drops a text that the workbench does not keep, and tells the window", async () => {
  const SetAlone = vi.fn();
  vi.stubGlobal("go", { desktop: { Native: { SetAlone } } });
  const session = sessionOf(file, "/models");
  session.retry();
  await vi.waitFor(() => expect(session.store.getState().judged).toBeGreaterThan(0));
  session.store.setState({ notKept: "500 other files have unsaved changes" });
  expect(asks()).toBe(true);
  expect(SetAlone.mock.calls).toEqual([[[`${file.model}/config.pbtxt`]]]);
  session.store.setState({ judged: 99 }); // the same files are told once
  session.store.setState({ notKept: "" });
  expect(asks()).toBe(false);
  expect(SetAlone.mock.calls.slice(1)).toEqual([[[]]]);
  vi.unstubAllGlobals();
});

test("a text that is taken back to what is on disk is not said to be lost", async () => {
  const session = sessionOf(file, "/models");
  session.retry();
  await vi.waitFor(() => expect(session.store.getState().judged).toBeGreaterThan(0));
  const before = session.text();
  vi.spyOn(clients.editor, "analyze").mockImplementation(async ({ number = 0n, edit }) =>
    create(AnalyzeResponseSchema, { number, notKept: edit ? "it is too large" : "" }),
  );
  session.replace(`${before}and more`);
  await vi.waitFor(() => expect(session.store.getState().notKept).toBe("it is too large"));
  session.replace(before);
  await vi.waitFor(() => expect(session.store.getState().notKept).toBe(""));
  expect(asks()).toBe(false);
});
