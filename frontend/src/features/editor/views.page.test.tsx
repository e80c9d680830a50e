import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { queryClient } from "../../api/queries";
import { askEditor, useAsked } from "../../window/asked";
import { EditorPane } from "./EditorPane";
import { file, startApp } from "./fakeApp";

const view = () => document.querySelector("[role=radio][aria-checked=true]")?.textContent;

test("a command shows a view of the config, and a search in it the text again", async () => {
  startApp();
  vi.spyOn(clients.editor, "compare").mockReturnValue(new Promise(() => {}));
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <EditorPane model={file.model} path={file.path} config={file.path} />
      </QueryClientProvider>,
    ),
  );
  expect(view()).toBe("Text");
  await act(async () => askEditor("compare"));
  expect(view()).toBe("Compare");
  expect(useAsked.getState().editor).toBeUndefined();
  await act(async () => askEditor("effective"));
  expect(view()).toBe("Effective");
  await act(async () => askEditor("search"));
  expect(view()).toBe("Text");
  await act(async () => root.unmount());
});
