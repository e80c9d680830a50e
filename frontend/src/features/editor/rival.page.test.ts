import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { DiscardDraftsResponseSchema, DraftSchema } from "../../api/conch_pb";
import { app, disk, file, openAndType, startApp } from "./fakeApp";

beforeEach(startApp);

test.each([
  ["taken", "# an hour of typing"],
  ["dropped", 'name: "digits"\nxy'],
])("another unsaved text of an earlier run is asked about, and is %s", async (choice, result) => {
  const { session } = await openAndType("xy");
  const typed = 'name: "digits"\nxy';
  await vi.waitFor(() => expect(app.draft?.text).toBe(typed));
  // The app could read it only now. What is here has another version since.
  const begin = { ...file, baseText: disk.text, baseVersion: disk.text };
  app.rival = create(DraftSchema, { ...begin, text: "# an hour of typing", version: 7n });
  app.draft = create(DraftSchema, { ...begin, text: typed, version: ++app.version });
  const discard = vi.spyOn(clients.editor, "discardDrafts").mockImplementation(async () => {
    app.rival = undefined;
    return create(DiscardDraftsResponseSchema);
  });
  session.onDraft(app.version, app.run);
  await vi.waitFor(() => expect(session.store.getState().rival?.text).toBe("# an hour of typing"));
  expect(session.text()).toBe(typed);
  expect(session.store.getState().conflict).toBeUndefined();
  if (choice === "taken") session.takeRival();
  else await session.dropRival();
  expect(session.store.getState().rival).toBeUndefined();
  await vi.waitFor(() => expect(app.draft?.text).toBe(result));
  expect(session.text()).toBe(result);
  expect(discard).toHaveBeenCalledTimes(choice === "taken" ? 0 : 1);
});
