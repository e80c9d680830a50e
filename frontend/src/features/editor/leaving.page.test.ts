import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { AnalyzeResponseSchema } from "../../api/conch_pb";
import { app, keep, openAndType, startApp } from "./fakeApp";

// A view or a page goes away while an answer is on its way.

/** What was asked and has not reached the app yet. */
let onTheWay: { arrive: () => void }[] = [];

beforeEach(() => {
  startApp();
  onTheWay = [];
});

/** From now on, what is asked reaches the app when the test says so. */
function slow() {
  vi.spyOn(clients.editor, "analyze").mockImplementation(
    ({ number = 0n, text = "", edit }) =>
      new Promise((resolve) => {
        const arrive = () =>
          resolve(create(AnalyzeResponseSchema, { number, ...(edit && keep(text, edit, number)) }));
        onTheWay.push({ arrive });
      }),
  );
}

const asked = (count: number) => vi.waitFor(() => expect(onTheWay).toHaveLength(count));

async function typeTwice() {
  const opened = await openAndType("");
  await vi.waitFor(() => expect(opened.session.store.getState().judged).toBe(1));
  slow();
  const { view } = opened;
  view?.dispatch({ changes: { from: view.state.doc.length, insert: "1" } });
  view?.dispatch({ changes: { from: view.state.doc.length, insert: "2" } });
  await asked(1);
  return opened;
}

test("leaving the tab loses no key", async () => {
  const { session, unmount } = await typeTwice();
  unmount();
  const typed = session.text();
  onTheWay[0]?.arrive();
  await asked(2);
  onTheWay[1]?.arrive();
  await vi.waitFor(() => expect(session.store.getState().judged).toBe(2));
  expect(session.text()).toBe(typed);
  expect(app.draft?.text).toBe(typed);
  expect(session.store.getState().conflict).toBeUndefined();
});

test.each([
  ["in order", [0, 1]],
  ["the last first", [1, 0]],
])("a page that goes away leaves its last text, %s", async (_, order) => {
  const { session } = await typeTwice();
  const typed = session.text();
  session.flush();
  await asked(2);
  for (const one of order) {
    onTheWay[one]?.arrive();
    await Promise.resolve();
  }
  expect(app.draft?.text).toBe(typed);
  await vi.waitFor(() => expect(session.store.getState().judged).toBe(2));
  // It may stay after all.
  expect(session.text()).toBe(typed);
  expect(session.store.getState().conflict).toBeUndefined();
  session.replace(`${typed}3`);
  await asked(3);
  onTheWay[2]?.arrive();
  await vi.waitFor(() => expect(app.draft?.text).toBe(`${typed}3`));
});
