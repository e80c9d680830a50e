import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FileChangeSchema, GetModelResponseSchema, ModelSummarySchema } from "../../api/conch_pb";
import { modelQuery, queryClient } from "../../api/queries";
import { fileKey } from "../../lib/fileKey";
import { closeFiles, openFile, useOpenFile } from "../../window/openFiles";
import { useWorkspace } from "../../workspace/workspace";
import { FileTabs } from "./FileTabs";
import { disk, file, startApp } from "./fakeApp";
import { openSession, sessionOf } from "./sessions";

let model = "";
const PATH = "1/model.py";
let root: Root;

function Shown() {
  return <FileTabs model={model} path={useOpenFile(model, "config.pbtxt")} config="config.pbtxt" />;
}

const lists = (...paths: string[]) =>
  queryClient.setQueryData(
    modelQuery(model).queryKey,
    create(GetModelResponseSchema, {
      summary: create(ModelSummarySchema, { name: model }),
      files: paths.map((path) => ({ path, text: true })),
    }),
  );

/** A program is open in the editor and another file is shown, when it is deleted on disk. */
beforeEach(async () => {
  startApp();
  model = file.model;
  useWorkspace.setState({ connection: "live", files: new Map() });
  disk.text = "import numpy\n";
  lists(PATH);
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <Shown />
      </QueryClientProvider>,
    ),
  );
  const session = sessionOf({ model, path: PATH });
  await vi.waitFor(() => expect(session.store.getState().status).toBe("ready"));
  await act(async () => {
    Object.assign(disk, { text: "", exists: false });
    lists();
    const gone = create(FileChangeSchema, { model, path: PATH });
    useWorkspace.setState({ files: new Map([[fileKey(model, PATH), gone]]) });
  });
  await act(() => vi.waitFor(() => expect(session.store.getState().deleted).toBe("import numpy\n")));
});

afterEach(async () => {
  await act(async () => {
    closeFiles(model, "");
    root.unmount();
  });
  document.body.replaceChildren();
  queryClient.clear();
});

const tabs = () => [...document.querySelectorAll("nav [aria-current]")].map((tab) => tab.textContent);
const shown = () => document.querySelector("nav [aria-current=true]")?.textContent;
const dialog = () => document.querySelector("[role=dialog]")?.textContent;
const click = (name: string) =>
  act(async () =>
    [...document.querySelectorAll("button")]
      .find(({ textContent, ariaLabel }) => textContent === name || ariaLabel === name)
      ?.click(),
  );

test("the tab of a file that was deleted on disk stays whatever is shown, until it is closed", async () => {
  expect([tabs(), shown()]).toEqual([["config.pbtxt", PATH], "config.pbtxt"]);
  await click(PATH);
  expect(shown()).toBe(PATH);
  await act(async () => openFile(model, "config.pbtxt"));
  expect(tabs()).toEqual(["config.pbtxt", PATH]);
  await click(PATH);
  await click(`Close ${PATH}`);
  expect(dialog()).toContain("its text is in this page alone");
  await click("Cancel");
  expect([dialog(), tabs().length]).toEqual([undefined, 2]);
  await click(`Close ${PATH}`);
  await click("Close and lose the text");
  expect([dialog(), tabs()]).toEqual([undefined, []]); // the config alone needs no tab
  expect(openSession({ model, path: PATH })).toBeUndefined();
});

test("the text is put back instead of being lost", async () => {
  await click(`Close ${PATH}`);
  await click("Put back what was here");
  await act(() => vi.waitFor(() => expect(disk.text).toBe("import numpy\n")));
  await act(() =>
    vi.waitFor(() => expect(openSession({ model, path: PATH })?.store.getState().deleted).toBeUndefined()),
  );
  expect(dialog()).toBeUndefined();
});

test("what the app keeps as unsaved text is closed without a question", async () => {
  const session = openSession({ model, path: PATH });
  await act(async () => session?.replace("import numpy as np\n"));
  await act(() => vi.waitFor(() => expect(session?.isHereAlone()).toBe(false)));
  await act(() => vi.waitFor(() => expect(session?.store.getState().edited).toBe(true)));
  await click(`Close ${PATH}`);
  expect([dialog(), tabs()]).toEqual([undefined, []]);
});
