import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test } from "vitest";
import { ModelState, ModelSummarySchema } from "../../api/conch_pb";
import { useWorkspace } from "../../workspace/workspace";
import { EditorBar } from "./EditorBar";
import { open, startApp } from "./fakeApp";
import { createSession } from "./session";

beforeEach(startApp);

test("the name of the config is said once: in the tab above, or in the bar", async () => {
  const session = await open();
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const bar = (tabbed: boolean) =>
    act(async () =>
      root.render(<EditorBar session={session} mode="text" tabbed={tabbed} onMode={() => undefined} />),
    );
  await bar(false);
  expect(page.textContent).toContain(session.file.path);
  await bar(true);
  expect(page.textContent).not.toContain(session.file.path);
  await act(async () => root.unmount());
});

test("a file of a version that does not serve says which one does", async () => {
  await open();
  const versions = (...ready: number[]) => {
    const model = create(ModelSummarySchema, {
      name: "many",
      versions: [1, 2, 3].map((number) => ({
        number: BigInt(number),
        state: ready.includes(number) ? ModelState.READY : ModelState.UNLOADED,
      })),
    });
    useWorkspace.setState({ models: new Map([[model.name, model]]) });
  };
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const session = createSession({ model: "many", path: "1/model.py" });
  const said = async (...ready: number[]) => {
    await act(async () => {
      versions(...ready);
      root.render(<EditorBar session={session} mode="text" tabbed onMode={() => undefined} />);
    });
    return /versions? .* serves?/.exec(page.textContent ?? "")?.[0];
  };
  expect([await said(2), await said(2, 3), await said(1, 2), await said()]).toEqual([
    "version 2 serves",
    "versions 2, 3 serve",
    undefined,
    undefined,
  ]);
  await act(async () => root.unmount());
});
