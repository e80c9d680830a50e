import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { DraftsSchema } from "../../api/conch_pb";
import { useWorkspace } from "../../workspace/workspace";
import { app, beside, disk, keep, open, openAndType, startApp } from "./fakeApp";

// Two windows type into one file: the second is asked, and neither text is lost before there is an answer.

beforeEach(startApp);

const texts = () => [...beside.values()].map(({ text }) => text);

/** Types here, then there, then here again. */
async function typeInTwo() {
  const opened = await openAndType("# mine");
  await vi.waitFor(() => expect(app.draft).toBeDefined());
  keep("# theirs", { since: app.version, baseText: disk.text, baseVersion: disk.text });
  type(opened, "# more\n");
  await vi.waitFor(() => expect(texts()).toEqual([opened.session.text()]));
  return opened;
}

const type = ({ view }: Awaited<ReturnType<typeof openAndType>>, insert: string) =>
  view?.dispatch({ changes: { from: 0, insert } });

test("what is typed while the question stands is kept beside the other text", async () => {
  const opened = await typeInTwo();
  type(opened, "# and more\n");
  await vi.waitFor(() => expect(texts()).toEqual([opened.session.text()]));
  expect(opened.session.text()).toContain("# and more");
  expect(app.draft?.text).toBe("# theirs");
});

test("what was kept beside goes with the answer", async () => {
  const { session } = await typeInTwo();
  session.keepMine();
  await vi.waitFor(() => expect(texts()).toEqual([]));
  expect(app.draft?.text).toBe(session.text());
  expect(session.text()).toContain("# more");
});

test.each(["reload", "keepMine"] as const)("a window that went away left a question: %s", async (answer) => {
  const gone = await typeInTwo();
  gone.unmount();
  const mine = gone.session.text();
  keep("# theirs, and more", { since: app.version, baseText: disk.text, baseVersion: disk.text });
  const [draft] = beside.values();
  useWorkspace.setState({
    drafts: create(DraftsSchema, { list: draft ? [{ ...draft, $typeName: undefined }] : [] }),
  });
  const session = await open();
  await vi.waitFor(() => expect(session.store.getState().conflict?.text).toBe(mine));
  expect(session.text()).toBe("# theirs, and more");
  session[answer]();
  await vi.waitFor(() => expect(texts()).toEqual([]));
  expect(app.draft?.text).toBe(answer === "reload" ? mine : "# theirs, and more");
  expect(session.text()).toBe(app.draft?.text);
});
