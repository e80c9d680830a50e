import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { RepositorySchema } from "../../api/conch_pb";
import { useWorkspace } from "../../workspace/workspace";
import { open, startApp } from "./fakeApp";
import type { Session } from "./session";
import { useDisk } from "./useDisk";

beforeEach(startApp);

function Follower({ session }: { session: Session }) {
  useDisk(session);
  return null;
}

test("an open file is told when the folder is back", async () => {
  const session = await open();
  const back = vi.spyOn(session, "onFolderBack");
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const hear = (away: boolean) =>
    act(async () => useWorkspace.setState({ repository: create(RepositorySchema, { id: "/a", away }) }));
  await hear(true);
  await act(async () => root.render(<Follower session={session} />));
  expect(back).not.toHaveBeenCalled();
  await hear(false);
  expect(back).toHaveBeenCalledTimes(1);
  await act(async () => root.unmount());
});
