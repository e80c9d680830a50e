import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  GetModelResponseSchema,
  ModelSummarySchema,
  ReadFileResponseSchema,
  RepositorySchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { useShortcuts } from "../../app/useShortcuts";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { usePlace } from "../../window/place";
import { useWorkspace } from "../../workspace/workspace";
import { FilesView } from "./FilesView";

let root: Root;

function Page() {
  useShortcuts();
  return (
    <div role="tabpanel">
      <FilesView model="mine" />
    </div>
  );
}

beforeEach(async () => {
  const model = create(ModelSummarySchema, { name: "mine" });
  useWorkspace.setState({
    connection: "live",
    repository: create(RepositorySchema, { id: "r", roots: ["/r"] }),
    models: new Map([[model.name, model]]),
  });
  usePlace.setState({ model: "mine" });
  const files = [
    { path: "config.pbtxt", text: true },
    { path: "1/model.onnx" },
    { path: "1/model.onnx.data" },
    { path: "2/" },
  ];
  vi.spyOn(clients.models, "getModel").mockResolvedValue(
    create(GetModelResponseSchema, { summary: model, files }),
  );
  vi.spyOn(clients.editor, "readFile").mockResolvedValue(
    create(ReadFileResponseSchema, { text: "backend: 'x'" }),
  );
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <button type="button">Elsewhere</button>
        <Page />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(row("1/model.onnx")).toBeDefined());
});

afterEach(async () => {
  await act(async () => {
    closeDialog();
    usePlace.setState({ model: "" });
    root.unmount();
  });
  document.body.replaceChildren();
  queryClient.clear();
  vi.restoreAllMocks();
});

const pathOf = (at: Element | null | undefined) =>
  at?.closest("tr")?.querySelector("[aria-label]")?.getAttribute("aria-label")?.replace("More for ", "");
const row = (path: string) =>
  [...document.querySelectorAll<HTMLElement>("tr[aria-rowindex]")].find((one) => pathOf(one) === path);
const clickCell = (path: string) =>
  act(async () => row(path)?.querySelector<HTMLElement>("td:nth-child(2)")?.click());
const press = (key: string, at: Element | null = document.activeElement) =>
  act(async () => {
    at?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  });
const asked = () => {
  const { open, model, path } = useDialogs.getState();
  return open && [open, model, path];
};
const focused = () => pathOf(document.activeElement);
const current = () => pathOf(document.querySelector("tr[aria-current]"));

test("a click on a row selects its file, and F2 renames that file, not the model", async () => {
  await clickCell("1/model.onnx");
  expect([current(), focused()]).toEqual(["1/model.onnx", "1/model.onnx"]);
  await press("F2");
  expect(asked()).toEqual(["renameFile", "mine", "1/model.onnx"]);
});

test("F2 means the selected file too after a click beside the rows and in the text of the file, not elsewhere", async () => {
  await clickCell("config.pbtxt");
  expect(focused()).toBe("config.pbtxt"); // though its text came beside the table
  await vi.waitFor(() => expect(document.querySelector("pre")).not.toBeNull());
  for (const at of [document.body, document.querySelector("pre")]) {
    await press("F2", at);
    expect(asked()).toEqual(["renameFile", "mine", "config.pbtxt"]);
    await act(async () => closeDialog());
  }
  await press("F2", document.querySelector("button"));
  expect(asked()).toEqual(["renameModel", "mine", "config.pbtxt"]);
});

test("the arrows go from row to row, and what has no new path leaves F2 without one", async () => {
  await clickCell("1/model.onnx");
  await press("ArrowDown");
  await vi.waitFor(() => expect(focused()).toBe("1/model.onnx.data"));
  await press("F2");
  expect(asked()).toEqual(["renameFile", "mine", "1/model.onnx.data"]);
  await act(async () => closeDialog());
  await press("ArrowDown");
  await vi.waitFor(() => expect(focused()).toBe("2/"));
  await press("ArrowDown");
  await press("F2");
  expect(asked()).toBeUndefined();
  await press("Delete");
  expect(asked()).toEqual(["delete", "mine", "2"]);
});

test("the names have the room of notes where no file has one", () => {
  const heads = [...document.querySelectorAll("th")].map(({ textContent }) => textContent);
  expect(heads).toEqual(["File", "Size", "Changed", "Actions"]);
});
