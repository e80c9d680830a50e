import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { app, disk, end, keep, open, openAndType, startApp } from "./fakeApp";

// One file in two windows: this one, and another that types, discards and saves.

beforeEach(startApp);

type Session = Awaited<ReturnType<typeof open>>;

/** The other window types over what it knows. */
function typeThere(session: Session, text: string) {
  keep(text, { since: app.version, baseText: disk.text, baseVersion: disk.text, writer: "other" });
  session.onDraft(app.version, app.run);
}

const edits = () => vi.mocked(clients.editor.analyze).mock.calls.filter(([{ edit }]) => edit !== undefined);

const judged = async (session: Session) => {
  const { judged } = session.store.getState();
  session.judge();
  await vi.waitFor(() => expect(session.store.getState().judged).toBeGreaterThan(judged));
};

test("a draft that is discarded does not come back with another verdict", async () => {
  const { session } = await openAndType("# mine");
  await vi.waitFor(() => expect(app.draft).toBeDefined());
  await judged(session);
  end();
  session.judge(); // the list of models comes with the verdict on what is on disk
  session.onDraft(0n, app.run);
  await vi.waitFor(() => expect(session.text()).toBe(disk.text));
  expect(app.draft).toBeUndefined();
  expect(session.store.getState()).toMatchObject({ edited: false, conflict: undefined });
});

test("a text that is only shown is never sent, whatever is typed in the other window", async () => {
  const session = await open();
  await judged(session);
  for (const text of ["6", "64", "64 #"]) {
    typeThere(session, text);
    session.judge();
    await vi.waitFor(() => expect(session.text()).toBe(text));
    await judged(session);
  }
  expect(edits()).toHaveLength(0);
  end("64 #");
  session.judge();
  session.onDraft(0n, app.run);
  await vi.waitFor(() => expect(session.store.getState().edited).toBe(false));
  expect(session.store.getState().conflict).toBeUndefined();
  expect(edits()).toHaveLength(0);
  expect(app.draft).toBeUndefined();
});

async function asked() {
  const opened = await openAndType("# mine");
  await vi.waitFor(() => expect(app.draft).toBeDefined());
  const { session, view } = opened;
  keep("# theirs", { since: app.version, baseText: disk.text, baseVersion: disk.text });
  view?.dispatch({ changes: { from: 0, insert: "# more\n" } });
  await vi.waitFor(() => expect(session.store.getState().conflict?.draft?.text).toBe("# theirs"));
  return session;
}

test("a question that stands is about the newest text of the other window", async () => {
  const session = await asked();
  typeThere(session, "# theirs, later");
  await vi.waitFor(() => expect(session.store.getState().conflict?.text).toBe("# theirs, later"));
  session.reload();
  expect(session.text()).toBe("# theirs, later");
  await judged(session);
  expect(app.draft?.text).toBe("# theirs, later");
});

test("a question is withdrawn when the other text is discarded, and what is here is kept", async () => {
  const session = await asked();
  end();
  session.onDraft(0n, app.run);
  await vi.waitFor(() => expect(session.store.getState().conflict).toBeUndefined());
  await vi.waitFor(() => expect(app.draft?.text).toBe(session.text()));
  expect(session.text()).toContain("# more");
});

test("a question is about the file when the other text is saved", async () => {
  const session = await asked();
  end("# theirs");
  session.onDraft(0n, app.run);
  await vi.waitFor(() => expect(session.store.getState().conflict?.draft).toBeUndefined());
  expect(session.store.getState().conflict).toMatchObject({ text: "# theirs", deleted: false });
  expect(session.text()).toContain("# more");
});

test("a text that is discarded before its first answer came is asked about, and not brought back", async () => {
  const { session, view } = await openAndType("");
  await judged(session);
  const real = vi.mocked(clients.editor.analyze).getMockImplementation();
  vi.mocked(clients.editor.analyze).mockImplementationOnce(async (asked, options) => {
    await real?.(asked, options);
    end(); // another window has seen it already
    throw new Error("the answer was lost");
  });
  view?.dispatch({ changes: { from: 0, insert: "# mine\n" } });
  await vi.waitFor(() => expect(app.ended).not.toBe(0n));
  view?.dispatch({ changes: { from: 0, insert: "# more\n" } });
  await vi.waitFor(() => expect(session.store.getState().conflict?.draft?.text).toBe(disk.text));
  expect(app.draft).toBeUndefined();
  const typed = session.text();
  session.keepMine();
  await vi.waitFor(() => expect(app.draft?.text).toBe(typed));
});

test.each(["discarded", "saved"])("a key while the text is %s asks, and brings nothing back", async (how) => {
  const { session, view } = await openAndType("# mine");
  await vi.waitFor(() => expect(app.draft).toBeDefined());
  await judged(session);
  end(how === "saved" ? session.text() : undefined);
  view?.dispatch({ changes: { from: 0, insert: "# more\n" } });
  await vi.waitFor(() => expect(session.store.getState().conflict?.draft?.text).toBe(disk.text));
  expect(app.draft).toBeUndefined();
  const typed = session.text();
  session.keepMine();
  await vi.waitFor(() => expect(app.draft?.text).toBe(typed));
  expect(app.draft?.baseVersion).toBe(disk.text);
  expect(session.store.getState().conflict).toBeUndefined();
});
