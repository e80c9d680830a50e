import { EditorView } from "@codemirror/view";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "../../api/queries";
import { TooltipProvider } from "../../ui/Tooltip";
import { useAsked } from "../../window/asked";
import { editFile } from "../../window/openFiles";
import { usePlace } from "../../window/place";
import { EditorPane } from "./EditorPane";
import { file, startApp } from "./fakeApp";

beforeEach(startApp);

test("a file that is opened to be edited has the focus in its text", async () => {
  editFile(file.model, file.path);
  expect(usePlace.getState()).toMatchObject({ model: file.model, modelTab: "config" });
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
  const view = () => EditorView.findFromDOM(page);
  await vi.waitFor(() => expect(view()?.hasFocus).toBe(true));
  expect(useAsked.getState().editor).toBeUndefined();
  await act(async () => root.unmount());
});
