import { EditorView } from "@codemirror/view";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import type { ReadFileResponse } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { TooltipProvider } from "../../ui/Tooltip";
import { useAsked } from "../../window/asked";
import { editFile } from "../../window/openFiles";
import { usePlace } from "../../window/place";
import { EditorPane } from "./EditorPane";
import { file, found, startApp } from "./fakeApp";

beforeEach(startApp);

const show = async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <TooltipProvider>
          <EditorPane model={file.model} path={file.path} config={file.path} />
        </TooltipProvider>
      </QueryClientProvider>,
    ),
  );
  return { page, view: () => EditorView.findFromDOM(page), leave: () => act(async () => root.unmount()) };
};

test("a file that is opened to be edited has the focus in its text", async () => {
  editFile(file.model, file.path);
  expect(usePlace.getState()).toMatchObject({ model: file.model, modelTab: "config" });
  const { view, leave } = await show();
  await vi.waitFor(() => expect(view()?.hasFocus).toBe(true));
  expect(useAsked.getState().editor).toBeUndefined();
  await leave();
});

test("a text that is still being read has no place to type in; its search opens with it", async () => {
  let read = (_: ReadFileResponse): void => {};
  vi.spyOn(clients.editor, "readFile").mockReturnValue(new Promise((resolve) => (read = resolve)));
  const { page, view, leave } = await show();
  expect(page.querySelector("[contenteditable=true]")).toBeNull();
  const press = new KeyboardEvent("keydown", { key: "f", ctrlKey: true, bubbles: true, cancelable: true });
  await act(async () => document.dispatchEvent(press));
  expect(press.defaultPrevented).toBe(true);
  expect(page.querySelector("search")).toBeNull();
  await act(async () => read(found()));
  expect(view()?.state.doc.toString()).toBe('name: "digits"\n');
  await vi.waitFor(() => expect(document.activeElement).toBe(page.querySelector("search input")));
  await leave();
});
