import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  DeleteResponseSchema,
  DraftInfoSchema,
  GetModelResponseSchema,
  ModelState,
  ModelSummarySchema,
  PlanDeleteResponseSchema,
  RepositorySchema,
  PlanDeleteResponse_Serving as Serving,
  UndoDeleteResponseSchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { modelCommands } from "../../app/modelCommands";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { onClosed } from "../../window/openFiles";
import { goToModel, usePlace } from "../../window/place";
import { hold, takeUp, useToasts } from "../../window/toasts";
import { useModelActions } from "../../workspace/modelActions";
import { useWorkspace } from "../../workspace/workspace";
import { DeleteDialog } from "./DeleteDialog";
import { FilesView } from "./FilesView";

let root: Root;
const model = create(ModelSummarySchema, {
  name: "mine",
  state: ModelState.READY,
  usedBy: ["chain"],
  versions: [{ number: 1n }],
});
const chain = create(ModelSummarySchema, { name: "chain", state: ModelState.READY, uses: ["mine"] });

/** The dialog is there while it is asked for, as in the window. */
function Shown() {
  const asked = useDialogs(({ open }) => open === "delete");
  return (
    <>
      <FilesView model="mine" />
      {asked && <DeleteDialog />}
    </>
  );
}

beforeEach(async () => {
  useWorkspace.setState({
    connection: "live",
    repository: create(RepositorySchema, { id: "r", roots: ["/r"] }),
    models: new Map([model, chain].map((one) => [one.name, one])),
  });
  useToasts.setState({ toasts: [], past: [] });
  hold(true); // they stay for as long as a test takes
  const files = [
    { path: "config.pbtxt", text: true },
    { path: "1/model.onnx" },
    { path: "more/words.txt" },
    { path: "linked/a.txt", outside: true },
  ];
  vi.spyOn(clients.models, "getModel").mockResolvedValue(
    create(GetModelResponseSchema, { summary: model, files }),
  );
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <Shown />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(document.body.textContent).toContain("1/model.onnx"));
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

const says = () => document.querySelector("[role=dialog]")?.textContent ?? "";
const button = (name: string) =>
  [...document.querySelectorAll("button")].find(
    ({ textContent, ariaLabel }) => textContent === name || ariaLabel === name,
  );
const click = (name: string) => act(async () => button(name)?.click());
const ask = (path: string) => act(async () => useDialogs.setState({ open: "delete", model: "mine", path }));
const plan = (said: Parameters<typeof create<typeof PlanDeleteResponseSchema>>[1]) =>
  vi
    .spyOn(clients.editor, "planDelete")
    .mockResolvedValue(create(PlanDeleteResponseSchema, { trash: "/trash", ...said }));

test("Delete on the row of a file, its menu and the palette ask for what they name", async () => {
  plan({ place: "/r/mine/1/model.onnx", count: 1, bytes: 2_000_000n });
  const more = button("More for 1/model.onnx");
  await act(async () => {
    more?.dispatchEvent(new KeyboardEvent("keydown", { key: "Delete", bubbles: true }));
  });
  expect(useDialogs.getState()).toMatchObject({ open: "delete", model: "mine", path: "1/model.onnx" });
  expect(says()).toContain("Delete mine/1/model.onnx?");
  await vi.waitFor(() => expect(says()).toContain("/r/mine/1/model.onnx1.9 MiB"));
  await click("Cancel");
  const entries = async (path: string) => {
    const more = button(`More for ${path}`);
    await act(async () => {
      more?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    });
    const items = [...document.querySelectorAll("[role=menuitem]")].map((item) => item.textContent);
    await act(async () => {
      document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    });
    // A closed menu gives the focus back a moment later: that would close the next menu.
    await vi.waitFor(() => expect(document.activeElement).toBe(more));
    return items.map((text) => text?.replace(/…(Delete|F2)$/, "…"));
  };
  expect(await entries("config.pbtxt")).toEqual(["Edit", "Rename or move…", "Delete…"]);
  expect(await entries("1/model.onnx")).toEqual(["Rename or move…", "Delete…", "Delete version 1…"]);
  expect(await entries("linked/a.txt")).toEqual(["Delete folder linked…"]);
  expect(await entries("more/words.txt")).toEqual(["Rename or move…", "Delete…", "Delete folder more…"]);
  const labels = modelCommands(model).map(({ label }) => label);
  expect(labels).toEqual(expect.arrayContaining(["Delete mine", "Delete version 1 of mine"]));
  const command = modelCommands(model).find(({ label }) => label === "Delete version 1 of mine");
  await act(async () => command?.run());
  expect(useDialogs.getState()).toMatchObject({ open: "delete", model: "mine", path: "1" });
});

test("a model that serves says all that goes with it, and comes back by Undo", async () => {
  plan({
    place: "/r/mine",
    files: ["1/model.onnx", "config.pbtxt"],
    count: 3,
    bytes: 2_000_000n,
    serving: Serving.UNLOADS,
    inFlight: 2n,
    drafts: [create(DraftInfoSchema, { model: "mine", path: "config.pbtxt", version: 7n })],
  });
  const remove = vi
    .spyOn(clients.editor, "delete")
    .mockResolvedValue(create(DeleteResponseSchema, { id: 5n }));
  const back = vi.spyOn(clients.editor, "undoDelete").mockResolvedValue(create(UndoDeleteResponseSchema));
  const closed = vi.fn();
  onClosed(closed);
  act(() => goToModel("mine", "files"));
  await ask("");
  await vi.waitFor(() => expect(says()).toContain("3 files, 1.9 MiB:"));
  for (const said of [
    "Delete model mine?",
    "/r/mine",
    "1/model.onnx",
    "and 1 more file",
    "/trash",
    "mine is loaded, and is unloaded first.",
    "2 requests are under way",
    "An ensemble cannot serve without it: chain.",
    "Unsaved text of mine/config.pbtxt goes too",
  ])
    expect(says()).toContain(said);
  const inMono = [...document.querySelectorAll("[role=dialog] li [class*=name]")].map(
    (one) => one.textContent,
  );
  expect(inMono).toEqual(["mine", "chain", "mine/config.pbtxt"]);
  expect(document.activeElement?.textContent).toBe("Cancel");
  const moving = vi.fn();
  const leave = useModelActions.subscribe((now) => moving([...now.moving]));
  await click("Move to the trash");
  leave();
  const asked = { model: "mine", path: "", drafts: [7n], repository: "r" };
  expect(remove).toHaveBeenCalledWith(asked, expect.anything());
  expect([says(), usePlace.getState().model]).toEqual(["", ""]);
  expect(closed).toHaveBeenCalledWith("mine", "");
  // What the engine says of it and of what is made of it is no news.
  expect(moving).toHaveBeenCalledWith(["mine", "chain"]);
  const [told] = useToasts.getState().toasts;
  expect([told?.text, told?.action?.label]).toEqual(["Model mine was moved to the trash", "Undo"]);
  expect(told?.names).toEqual(["mine"]);
  await act(async () => told && takeUp(told));
  expect(back).toHaveBeenCalledWith({ id: 5n, repository: "r" });
  await vi.waitFor(() => expect(useToasts.getState().toasts.at(-1)?.text).toBe("Model mine was put back"));
});

test("what cannot go says why, and what is refused deletes nothing and looks again", async () => {
  const look = plan({ place: "/r/mine/1", problem: "cannot delete /r/mine/1: it is a mount" });
  await ask("1");
  await vi.waitFor(() => expect(says()).toContain("it is a mount"));
  expect([says().includes("Delete version 1 of mine?"), button("Move to the trash")?.disabled]).toEqual([
    true,
    true,
  ]);
  await click("Cancel");
  look.mockResolvedValue(create(PlanDeleteResponseSchema, { place: "/r/mine/link", link: "/elsewhere" }));
  const remove = vi
    .spyOn(clients.editor, "delete")
    .mockRejectedValue(new ConnectError("typed meanwhile", Code.FailedPrecondition));
  await ask("link");
  await vi.waitFor(() => expect(says()).toContain("The link goes, and what it points to stays."));
  const looked = look.mock.calls.length;
  await click("Move to the trash");
  expect(remove).toHaveBeenCalled();
  await vi.waitFor(() => expect(says()).toContain("Nothing was deleted"));
  expect(look.mock.calls.length).toBe(looked + 1);
  expect(useToasts.getState().toasts).toEqual([]);
});

test("a dialog that is closed stops what it waits for", async () => {
  plan({ place: "/r/mine/config.pbtxt", count: 1 });
  let signal: AbortSignal | undefined;
  vi.spyOn(clients.editor, "delete").mockImplementation((_, options) => {
    signal = options?.signal;
    return new Promise(() => undefined);
  });
  await ask("config.pbtxt");
  await vi.waitFor(() => expect(button("Move to the trash")?.disabled).toBe(false));
  await click("Move to the trash");
  expect([says().includes("Cancel stops that"), signal?.aborted]).toEqual([true, false]);
  await click("Cancel");
  expect(signal?.aborted).toBe(true);
});

test("a file that the config names says so, who uses the model, and that it is loaded again", async () => {
  useWorkspace.setState({
    models: new Map(
      [
        { ...model, reload: "on-save", versions: [{ ...model.versions[0], state: ModelState.READY }] },
        chain,
      ].map((one) => [one.name, create(ModelSummarySchema, one as typeof model)]),
    ),
  });
  const look = plan({ neededBy: 'label_filename of output "p"', serving: Serving.KEEPS });
  await ask("labels.txt");
  await vi.waitFor(() => expect(says()).toContain('The config needs it: label_filename of output "p".'));
  expect(says()).toContain("An ensemble uses mine: chain.");
  expect(says()).toContain("is loaded again after each change of its files");
  await click("Cancel");
  look.mockResolvedValue(create(PlanDeleteResponseSchema, { serving: Serving.KEEPS }));
  await ask("1/model.onnx");
  await vi.waitFor(() => expect(says()).toContain("It lies in version 1, which serves."));
  expect(says()).toContain("An ensemble uses mine: chain.");
  await click("Cancel");
  await ask("note.txt");
  await vi.waitFor(() => expect(says()).toContain("is loaded again after each change"));
  expect(says()).not.toContain("An ensemble uses");
  await click("Cancel");
  look.mockResolvedValue(create(PlanDeleteResponseSchema, { serving: Serving.OTHER_VERSIONS, inFlight: 1n }));
  await ask("1");
  await vi.waitFor(() => expect(says()).toContain("1 request is under way in it and goes on."));
  expect(says()).not.toContain("Conch waits");
});

test("several deletions are one message, which puts all of them back, the newest first", async () => {
  plan({});
  let id = 0n;
  vi.spyOn(clients.editor, "delete").mockImplementation(async () => {
    id += 1n;
    return create(DeleteResponseSchema, { id });
  });
  const back = vi.spyOn(clients.editor, "undoDelete").mockResolvedValue(create(UndoDeleteResponseSchema));
  for (const path of ["a.txt", "b.txt", "more"]) {
    await ask(path);
    await vi.waitFor(() => expect(button("Move to the trash")?.disabled).toBe(false));
    await click("Move to the trash");
    await vi.waitFor(() => expect(says()).toBe(""));
  }
  const shown = useToasts.getState().toasts;
  expect(shown.map(({ text, detail, action }) => [text, detail, action?.label])).toEqual([
    ["3 things were moved to the trash", "mine/a.txt, mine/b.txt, mine/more", "Undo all"],
  ]);
  await act(async () => shown[0] && takeUp(shown[0]));
  await vi.waitFor(() => expect(back).toHaveBeenCalledTimes(3));
  expect(back.mock.calls.map(([asked]) => asked.id)).toEqual([3n, 2n, 1n]);
});
