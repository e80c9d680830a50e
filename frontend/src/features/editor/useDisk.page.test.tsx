import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { ListProblemsResponseSchema, ModelSummarySchema, RepositorySchema } from "../../api/conch_pb";
import { keys, queryClient } from "../../api/queries";
import { useWorkspace } from "../../workspace/workspace";
import { file, open, startApp } from "./fakeApp";
import { createSession, type Session } from "./session";
import { useDisk } from "./useDisk";

beforeEach(startApp);

function Follower({ session }: { session: Session }) {
  useDisk(session);
  return null;
}

const Shown = ({ session }: { session: Session }) => (
  <QueryClientProvider client={queryClient}>
    <Follower session={session} />
  </QueryClientProvider>
);

test("an open file is told when the folder is back", async () => {
  const session = await open();
  const back = vi.spyOn(session, "onFolderBack");
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const hear = (away: boolean) =>
    act(async () => useWorkspace.setState({ repository: create(RepositorySchema, { id: "/a", away }) }));
  await hear(true);
  await act(async () => root.render(<Shown session={session} />));
  expect(back).not.toHaveBeenCalled();
  await hear(false);
  expect(back).toHaveBeenCalledTimes(1);
  await act(async () => root.unmount());
});

test("an open program is judged again when another failure takes the place of the last", async () => {
  const { model } = file;
  useWorkspace.setState({
    models: new Map([[model, create(ModelSummarySchema, { name: model, errors: 1 })]]),
  });
  const fail = (message: string) => {
    const files = [{ model, path: "1/model.py", diagnostics: [{ line: 12, message }] }];
    queryClient.setQueryData(keys.problems(), create(ListProblemsResponseSchema, { files }));
  };
  fail("SyntaxError: expected ':'");
  const session = createSession({ model, path: "1/model.py" });
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => root.render(<Shown session={session} />));
  await act(async () => {
    const judged = new Promise<void>((resolve) => vi.spyOn(session, "judge").mockImplementation(resolve));
    fail("ModuleNotFoundError: No module named 'jsonx'");
    await judged; // else the test runs out of time
  });
  await act(async () => root.unmount());
});
