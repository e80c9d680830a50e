import { create } from "@bufbuild/protobuf";
import { completionStatus, startCompletion } from "@codemirror/autocomplete";
import { Code, ConnectError } from "@connectrpc/connect";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  CompleteResponseSchema,
  CompletionItemSchema,
  FolderAwaySchema,
  ReadFileResponseSchema,
} from "../../api/conch_pb";
import { useToasts } from "../../window/toasts";
import { fileOf } from "../../workspace/drafts";
import { useWorkspace } from "../../workspace/workspace";
import { app, disk, file, found, keep, open, openAndType, startApp } from "./fakeApp";

beforeEach(startApp);

test("reads, judges, edits and saves", async () => {
  const { session } = await openAndType("backend: x");
  expect(session.store.getState().edited).toBe(true);
  await vi.waitFor(() => expect(session.store.getState().findings).toHaveLength(1));
  await session.save();
  expect(disk.text).toBe('name: "digits"\nbackend: x');
  expect(session.store.getState()).toMatchObject({ edited: false, saving: false });
  await vi.waitFor(() => expect(app.draft).toBeUndefined());
  expect(clients.editor.saveFile).toHaveBeenCalledWith(expect.objectContaining({ repository: "/a" }));
});

test("a save closes the list of what could be typed", async () => {
  const { session, view } = await openAndType("ba");
  const to = session.text().length;
  const answer = { from: to - 2, to, items: [create(CompletionItemSchema, { label: "backend" })] };
  vi.spyOn(clients.editor, "complete").mockResolvedValue(create(CompleteResponseSchema, answer));
  if (!view) expect.fail("no text is shown");
  startCompletion(view);
  await vi.waitFor(() => expect(completionStatus(view.state)).toBe("active"));
  await session.save();
  expect(completionStatus(view.state)).toBeNull();
});

test("an unsaved text outlives its view, and is there in the next window", async () => {
  const { session, unmount } = await openAndType("# mine");
  unmount();
  expect(session.text()).toContain("# mine");
  await vi.waitFor(() => expect(app.draft?.text).toContain("# mine"));
  const again = await open();
  expect(again.text()).toContain("# mine");
  expect(again.store.getState()).toMatchObject({ edited: true });
  expect(again.store.getState().conflict).toBeUndefined();
});

test("an untouched text follows the disk", async () => {
  const session = await open();
  disk.text = 'name: "other"\n';
  session.onDisk(disk.text);
  await vi.waitFor(() => expect(session.text()).toBe('name: "other"\n'));
  expect(session.store.getState()).toMatchObject({ edited: false });
});

test("an edited text asks, and either side can win", async () => {
  const { session } = await openAndType("# mine");
  disk.text = "# theirs\n";
  session.onDisk(disk.text);
  await vi.waitFor(() => expect(session.store.getState().conflict?.text).toBe("# theirs\n"));
  expect(session.text()).toContain("# mine");
  await session.save();
  expect(disk.text).toBe("# theirs\n");
  session.reload();
  expect(session.text()).toBe("# theirs\n");
  expect(session.store.getState()).toMatchObject({ edited: false });
});

test("overwrites only when told to", async () => {
  const unsaved = `${fileOf(file)} was not saved`;
  useToasts.setState({ toasts: [], past: [] });
  const { session } = await openAndType("# mine");
  disk.text = "# theirs\n";
  await session.save();
  expect(session.store.getState().conflict).toMatchObject({ text: "# theirs\n", deleted: false });
  const told = () => useToasts.getState().toasts.map(({ text }) => text);
  expect(told()).not.toContain(unsaved); // the banner that came says it
  await session.save();
  expect(told()).toContain(unsaved);
  await session.save(true);
  expect(disk.text).toBe('name: "digits"\n# mine');
  expect(session.store.getState().conflict).toBeUndefined();
});

test("a text that came after the question is not overwritten, it is asked about", async () => {
  const { session } = await openAndType("# mine");
  disk.text = "# theirs\n";
  await session.save();
  disk.text = "# of a third\n";
  await session.save(true);
  expect(disk.text).toBe("# of a third\n");
  expect(session.store.getState().conflict).toMatchObject({ text: "# of a third\n" });
  await session.save(true);
  expect(disk.text).toBe('name: "digits"\n# mine');
});

test("a draft that began from another content asks too", async () => {
  keep("# draft", { baseText: "# old", baseVersion: "# old" });
  const session = await open();
  expect(session.text()).toBe("# draft");
  expect(session.store.getState().conflict?.text).toBe('name: "digits"\n');
});

test("CRLF stays CRLF when lines are added", async () => {
  disk.text = "a: 1\r\nb: 2\r\n";
  const { session, view } = await openAndType("");
  view?.dispatch(view.state.replaceSelection(view.state.toText("x\r\ny")));
  expect(session.text()).toBe("x\r\nya: 1\r\nb: 2\r\n");
  await session.save();
  expect(disk.text).toBe("x\r\nya: 1\r\nb: 2\r\n");
});

test("a save while the workbench does not answer asks nothing and says so", async () => {
  const { session } = await openAndType("# mine");
  const asked = vi.spyOn(clients.editor, "saveFile");
  asked.mockClear();
  useWorkspace.setState({ connection: "lost" });
  await session.save();
  expect(asked).not.toHaveBeenCalled();
  expect(useToasts.getState().toasts.at(-1)?.detail).toContain("The workbench does not answer");
  useWorkspace.setState({ connection: "live" });
  await session.save();
  expect(asked).toHaveBeenCalledTimes(1);
});

test("what is typed while a save is under way is saved by a second one that was asked for meanwhile", async () => {
  const { session, view } = await openAndType("# first");
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const real = vi.mocked(clients.editor.saveFile).getMockImplementation();
  vi.spyOn(clients.editor, "saveFile").mockImplementationOnce(async (asked) => {
    await answered;
    return real?.(asked) as never;
  });
  const first = session.save();
  view?.dispatch({ changes: { from: view.state.doc.length, insert: " and second" } });
  void session.save();
  answer();
  await first;
  expect(disk.text).toContain("# first and second");
  expect(session.store.getState()).toMatchObject({ edited: false, saving: false });
});

test("a failed save keeps the text and says so", async () => {
  const { session } = await openAndType("# mine");
  vi.spyOn(clients.editor, "saveFile").mockRejectedValueOnce(new Error("no space left on device"));
  await session.save();
  expect(session.store.getState()).toMatchObject({ edited: true, saving: false });
  expect(String(session.store.getState().saveError)).toContain("no space left");
});

test("what failed because the folder was away is over when the folder is back", async () => {
  const away = new ConnectError("The repository is away", Code.FailedPrecondition, undefined, [
    { desc: FolderAwaySchema, value: {} },
  ]);
  vi.spyOn(clients.editor, "readFile").mockRejectedValueOnce(away);
  const session = await open();
  expect(session.store.getState().status).toBe("failed");
  session.onFolderBack();
  await vi.waitFor(() => expect(session.store.getState().status).toBe("ready"));

  session.replace(`${session.text()}# mine`);
  const saves = vi.spyOn(clients.editor, "saveFile").mockRejectedValueOnce(away);
  await session.save();
  expect(session.store.getState().saveError).toBe(away);
  session.onFolderBack();
  expect(session.store.getState()).toMatchObject({ edited: true, saveError: undefined });

  saves.mockRejectedValueOnce(new Error("no space left on device"));
  await session.save();
  session.onFolderBack();
  expect(String(session.store.getState().saveError)).toContain("no space left");
});

test("what is said of a file whose folder is away is over when the folder is back", async () => {
  disk.note = "the repository is away: this is the text as Conch last read it";
  const { session } = await openAndType("# mine");
  expect(session.store.getState()).toMatchObject({ note: disk.note, edited: true });
  await vi.waitFor(() => expect(app.draft).toBeDefined());
  session.onDraft(app.version, app.run);
  disk.note = "";
  session.onFolderBack();
  await vi.waitFor(() => expect(session.store.getState().note).toBe(""));
  expect(session.store.getState().conflict).toBeUndefined();
  expect(session.text()).toContain("# mine");
});

test("formatting is one change that can be undone", async () => {
  disk.text = "a:  1\n";
  const { session } = await openAndType("");
  await session.format();
  expect(session.text()).toBe("a: 1\n");
});

test("a read-only file is not saved", async () => {
  disk.readOnly = true;
  const session = await open();
  await session.save(true);
  expect(clients.editor.saveFile).not.toHaveBeenCalled();
});

test("an answer to an older reading puts no older text back", async () => {
  const { session } = await openAndType("# mine");
  await vi.waitFor(() => expect(app.draft).toBeDefined());
  const answers: (() => void)[] = [];
  vi.spyOn(clients.editor, "readFile").mockImplementation(() => {
    const then = found();
    return new Promise((resolve) => answers.push(() => resolve(then)));
  });
  session.refresh(); // asked before the file is saved
  await session.save();
  disk.text = "# theirs, later\n";
  session.onDisk(disk.text);
  expect(answers).toHaveLength(2);
  answers[1]?.();
  await vi.waitFor(() => expect(session.text()).toBe("# theirs, later\n"));
  answers[0]?.();
  await Promise.resolve();
  await Promise.resolve();
  expect(session.text()).toBe("# theirs, later\n");
  expect(session.store.getState().conflict).toBeUndefined();
});

test("a reading from before a key does not take the key back", async () => {
  const { session, view } = await openAndType("# mine");
  await vi.waitFor(() => expect(app.draft).toBeDefined());
  const answers: (() => void)[] = [];
  const before = create(ReadFileResponseSchema, { ...found(), draft: undefined });
  vi.spyOn(clients.editor, "readFile").mockImplementation(
    () => new Promise((resolve) => answers.push(() => resolve(before))),
  );
  session.refresh();
  view?.dispatch({ changes: { from: 0, insert: "# more\n" } });
  await vi.waitFor(() => expect(app.draft?.text).toContain("# more"));
  answers[0]?.();
  await Promise.resolve();
  await Promise.resolve();
  expect(session.text()).toContain("# more");
});

test("what another window types is taken where nothing was typed here", async () => {
  const session = await open();
  await vi.waitFor(() => expect(session.store.getState().judged).toBe(1));
  keep("# from there\n", { baseText: disk.text, baseVersion: disk.text });
  session.onDraft(app.version, app.run);
  await vi.waitFor(() => expect(session.text()).toBe("# from there\n"));
  expect(session.store.getState()).toMatchObject({ edited: true, conflict: undefined });
  disk.text = "# from there\n"; // and saved there
  app.draft = undefined;
  session.onDraft(0n, app.run);
  await vi.waitFor(() => expect(session.store.getState().edited).toBe(false));
});

test("what two windows type at once is asked about, and either can win", async () => {
  const { session, view } = await openAndType("# mine");
  await vi.waitFor(() => expect(app.draft).toBeDefined());
  keep("# theirs", { since: app.version, baseText: disk.text, baseVersion: disk.text });
  view?.dispatch({ changes: { from: 0, insert: "# more\n" } });
  await vi.waitFor(() => expect(session.store.getState().conflict?.draft?.text).toBe("# theirs"));
  expect(session.text()).toContain("# more");
  expect(app.draft?.text).toBe("# theirs");
  session.keepMine();
  await vi.waitFor(() => expect(app.draft?.text).toContain("# more"));
  keep("# theirs again", { since: app.version, baseText: disk.text, baseVersion: disk.text });
  view?.dispatch({ changes: { from: 0, insert: "# yet more\n" } });
  await vi.waitFor(() => expect(session.store.getState().conflict?.draft?.text).toBe("# theirs again"));
  session.reload();
  expect(session.text()).toBe("# theirs again");
  expect(session.store.getState().conflict).toBeUndefined();
});

test("an app that was started again, and has less, is given the text again", async () => {
  const { session } = await openAndType("# mine");
  await vi.waitFor(() => expect(app.draft).toBeDefined());
  Object.assign(app, { draft: undefined, run: "2" });
  session.onDraft(0n, "2");
  await vi.waitFor(() => expect(app.draft?.text).toContain("# mine"));
  expect(session.text()).toContain("# mine");
});

test("what is typed while a config is read from the model file stays", async () => {
  let answer = (_: unknown) => {};
  vi.spyOn(clients.editor, "draftConfig").mockReturnValue(
    new Promise((resolve) => (answer = resolve)) as never,
  );
  const { session } = await openAndType("# mine");
  const typed = session.text();
  const drafting = session.draft();
  session.replace(`${typed}, and more`);
  answer({ text: 'backend: "onnxruntime"' });
  await drafting;
  expect(session.text()).toBe(`${typed}, and more`);
});
