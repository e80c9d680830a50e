import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  GetModelResponseSchema,
  ModelState,
  ModelSummarySchema,
  MoveFileResponseSchema,
  PlanDeleteResponseSchema,
  RepositorySchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { LaterDialogs } from "../../app/LaterDialogs";
import { enter } from "../../testing/typing";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { onMoved } from "../../window/openFiles";
import { hold, useToasts } from "../../window/toasts";
import { useWorkspace } from "../../workspace/workspace";
import { FilesView } from "./FilesView";

let root: Root;

beforeEach(async () => {
  const model = create(ModelSummarySchema, { name: "mine", state: ModelState.READY, reload: "on-save" });
  useWorkspace.setState({
    connection: "live",
    repository: create(RepositorySchema, { id: "r", roots: ["/r"] }),
    models: new Map([[model.name, model]]),
  });
  useToasts.setState({ toasts: [], past: [] });
  hold(true); // they stay for as long as a test takes
  const files = [{ path: "config.pbtxt", text: true }, { path: "1/net.onnx" }, { path: "2/" }];
  vi.spyOn(clients.models, "getModel").mockResolvedValue(
    create(GetModelResponseSchema, { summary: model, files }),
  );
  vi.spyOn(clients.editor, "planDelete").mockResolvedValue(
    create(PlanDeleteResponseSchema, { neededBy: "default_model_filename" }),
  );
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <FilesView model="mine" />
        <LaterDialogs />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(document.body.textContent).toContain("1/net.onnx"));
});

afterEach(async () => {
  await act(async () => {
    closeDialog();
    root.unmount();
  });
  document.body.replaceChildren();
  queryClient.clear();
  vi.restoreAllMocks();
});

const button = (name: string) =>
  [...document.querySelectorAll("button")].find(
    ({ textContent, ariaLabel }) => textContent === name || ariaLabel === name,
  );
const click = (name: string) => act(async () => button(name)?.click());
const field = () => document.querySelector<HTMLInputElement>("[role=dialog] input");
const press = (row: string, key: string) =>
  act(async () => {
    button(`More for ${row}`)?.dispatchEvent(
      new KeyboardEvent("keydown", { key, code: key, bubbles: true, cancelable: true }),
    );
  });

test("F2 on the row of a file asks for its new path, says what is loaded, and Undo takes it back", async () => {
  const move = vi.spyOn(clients.editor, "moveFile").mockResolvedValue(create(MoveFileResponseSchema));
  const moved = vi.fn();
  onMoved(moved);
  await press("1/net.onnx", "F2");
  await vi.waitFor(() => expect(field()?.value).toBe("1/net.onnx"));
  expect(button("Rename")?.disabled).toBe(true);
  expect(document.querySelector("[role=dialog]")?.textContent).toContain(
    "mine is loaded, and is loaded again",
  );
  await vi.waitFor(() =>
    expect(document.querySelector("[role=dialog]")?.textContent).toContain(
      "The config needs it: default_model_filename. A load without it fails.",
    ),
  );
  await act(async () => enter(field(), "config.pbtxt"));
  expect(document.querySelector("[role=dialog] [role=status]")?.textContent).toBe(
    "There is a config.pbtxt already",
  );
  await act(async () => enter(field(), "1/model.onnx"));
  await click("Rename");
  const asked = { model: "mine", path: "1/net.onnx", to: "1/model.onnx", repository: "r" };
  expect(move).toHaveBeenCalledWith(asked);
  expect(moved).toHaveBeenLastCalledWith("mine", "1/net.onnx", "1/model.onnx");
  expect([field(), useToasts.getState().toasts[0]?.text]).toEqual([
    null,
    "mine/1/net.onnx is now 1/model.onnx",
  ]);
  await act(async () => useToasts.getState().toasts[0]?.action?.run());
  expect(move).toHaveBeenLastCalledWith({ ...asked, path: "1/model.onnx", to: "1/net.onnx" });
});

test("what the program refuses is said, the path stays, and an empty version has no new name", async () => {
  vi.spyOn(clients.editor, "moveFile").mockRejectedValue(new Error("the path leads outside"));
  await press("2/", "F2");
  expect(useDialogs.getState().open).toBeUndefined();
  await press("1/net.onnx", "F2");
  await vi.waitFor(() => expect(field()).not.toBeNull());
  await act(async () => enter(field(), "link/x"));
  await click("Rename");
  expect(document.querySelector("[role=dialog] [role=alert]")?.textContent).toContain(
    "The path leads outside",
  );
  expect(field()?.value).toBe("link/x");
});

test("a path that cannot be is told while it is typed", async () => {
  await press("1/net.onnx", "F2");
  await vi.waitFor(() => expect(field()).not.toBeNull());
  for (const [path, why] of [
    ["labels/", "labels/ is a folder: add the name of the file"],
    ["../x", "The path leads outside mine/"],
    ["1/../../x", "The path leads outside mine/"],
    ["/x", "A path begins in mine/: leave the first / out"],
    ["1/../2/x", ""],
  ] as const) {
    await act(async () => enter(field(), path));
    expect(document.querySelector("[role=dialog] [role=status]")?.textContent).toBe(why);
    expect(button("Rename")?.disabled).toBe(why !== "");
  }
});
