import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, expect, it } from "vitest";
import {
  Diagnostic_Severity,
  DraftInfoSchema,
  DraftsSchema,
  GetModelResponseSchema,
  ListProblemsResponseSchema,
  ModelSummarySchema,
} from "../../api/conch_pb";
import { keys, modelQuery, queryClient } from "../../api/queries";
import { openFile, useOpenFile } from "../../window/openFiles";
import { usePlace } from "../../window/place";
import { useWorkspace } from "../../workspace/workspace";
import { FileTabs } from "./FileTabs";

const model = (name: string, ...paths: string[]) =>
  queryClient.setQueryData(
    modelQuery(name).queryKey,
    create(GetModelResponseSchema, {
      summary: create(ModelSummarySchema, { name }),
      files: paths.map((path) => ({ path, text: true })),
    }),
  );

function Shown({ name }: { name: string }) {
  const path = useOpenFile(name, "config.pbtxt");
  return <FileTabs model={name} path={path} config="config.pbtxt" />;
}

const roots: Root[] = [];

function show(name: string): HTMLElement {
  const host = document.createElement("div");
  const root = createRoot(host);
  roots.push(root);
  act(() =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <Shown name={name} />
      </QueryClientProvider>,
    ),
  );
  return host;
}

afterEach(() => {
  act(() => {
    for (const root of roots.splice(0)) root.unmount();
  });
  usePlace.setState({ reveal: undefined, restore: undefined });
});

const tabs = (host: HTMLElement) => [...host.querySelectorAll("button")].map((tab) => tab.textContent);
const current = (host: HTMLElement) => host.querySelector("[aria-current=true]")?.textContent;

it("has the programs of a model beside its config, and none where there is no program", () => {
  model("sums", "1/model.py", "1/notes.txt", "config.pbtxt");
  model("digits", "labels.txt");
  const host = show("sums");
  expect(tabs(host)).toEqual(["config.pbtxt", "model.py"]);
  expect(current(host)).toBe("config.pbtxt");
  expect(tabs(show("digits"))).toEqual([]);
});

it("shows the file that is asked for, at its line, and marks what is not saved", () => {
  model("two", "1/helper.py", "1/model.py");
  useWorkspace.setState({
    drafts: create(DraftsSchema, { list: [create(DraftInfoSchema, { model: "two", path: "1/helper.py" })] }),
  });
  const host = show("two");
  act(() => openFile("two", "1/helper.py", 7));
  expect(usePlace.getState().reveal).toEqual({ path: "1/helper.py", from: 0, to: 0, line: 7 });
  expect(current(host)).toBe("1/helper.py");
  expect(host.querySelector("[aria-label='not saved']")?.parentElement?.textContent).toBe("1/helper.py");
  act(() => host.querySelector("button")?.click());
  expect(current(host)).toBe("config.pbtxt");
});

it("marks a file that is not shown and has problems, such as a program that raised an error", () => {
  model("raises", "1/model.py");
  useWorkspace.setState({
    models: new Map([["raises", create(ModelSummarySchema, { name: "raises", warnings: 1 })]]),
  });
  const warning = { severity: Diagnostic_Severity.WARNING, message: "ValueError: no anchors" };
  const files = [
    { model: "raises", path: "1/model.py", diagnostics: [warning] },
    { model: "another", path: "1/model.py", diagnostics: [warning, warning] },
  ];
  queryClient.setQueryData(keys.problems(), create(ListProblemsResponseSchema, { files }));
  const host = show("raises");
  expect(host.querySelector("[aria-label='1 warning']")?.parentElement?.textContent).toContain("model.py");
  act(() => openFile("raises", "1/model.py"));
  expect(host.querySelector("[aria-label='1 warning']")).toBeNull();
  act(() => useWorkspace.setState({ models: new Map() }));
});
