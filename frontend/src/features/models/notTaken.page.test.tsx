import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { ModelSummarySchema, RepositorySchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { enter } from "../../testing/typing";
import { ReachContext } from "../../ui/reach";
import { closeDialog, openDialog, useDialogs } from "../../window/dialogs";
import { useToasts } from "../../window/toasts";
import { selectReach, useWorkspace } from "../../workspace/workspace";
import { DropHere } from "./DropHere";
import { NewModelDialog } from "./NewModelDialog";
import { discardFiles } from "./newModel";

let root: Root;

function Reached({ children }: { readonly children: ReactNode }) {
  const app = useWorkspace((state) => selectReach(state).app);
  return <ReachContext value={{ app }}>{children}</ReachContext>;
}

beforeEach(async () => {
  useWorkspace.setState({
    connection: "live",
    repository: create(RepositorySchema, { id: "r", roots: ["/models"] }),
    models: new Map([["digits", create(ModelSummarySchema, { name: "digits" })]]),
  });
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <Reached>
          <NewModelDialog />
          <DropHere />
        </Reached>
      </QueryClientProvider>,
    ),
  );
});

afterEach(async () => {
  await act(async () => closeDialog());
  await act(async () => discardFiles());
  await act(async () => root.unmount());
  vi.restoreAllMocks();
});

const type = (selector: string, text: string) =>
  act(async () => enter(document.querySelector<HTMLInputElement | HTMLTextAreaElement>(selector), text));
const note = () => document.querySelector("[role=dialog] form > [role=note]");
const nameField = () => document.querySelector<HTMLInputElement>("#new-model-name")?.value;
const submitButton = () => document.querySelector<HTMLButtonElement>("button[type=submit]");

/** Drops files on the window, as a browser tells of it. */
const drop = (...files: File[]) =>
  act(async () => {
    const event = new Event("drop", { bubbles: true, cancelable: true });
    Object.assign(event, { dataTransfer: { types: ["Files"], files, items: [] } });
    document.body.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
  });

test("a drop that cannot be taken says so, and why", async () => {
  const begun = vi.spyOn(clients.models, "beginUpload");
  begun.mockClear();
  const told = () => useToasts.getState().toasts.at(-1);
  await act(async () => useWorkspace.setState({ connection: "lost" }));
  await drop(new File(["0"], "net.onnx"));
  expect([told()?.text, told()?.detail]).toEqual([
    "net.onnx was not taken",
    "The workbench does not answer. Drop it again when that has changed.",
  ]);
  await act(async () =>
    useWorkspace.setState({ connection: "live", repository: create(RepositorySchema, { id: "r" }) }),
  );
  await drop(new File(["0"], "other.onnx"));
  expect([told()?.text, told()?.detail]).toEqual([
    "other.onnx was not taken",
    "No repository is open. Drop it again when that has changed.",
  ]);
  await drop(new File(["0"], "net.pt"), new File(["0"], "labels.txt"));
  expect([told()?.text, told()?.detail]).toEqual([
    "2 files were not taken",
    "No repository is open. Drop them again when that has changed.",
  ]);
  expect(begun).not.toHaveBeenCalled();
  expect(useDialogs.getState().open).toBeUndefined();
});

test("while the workbench does not answer, the dialog says what a file waits for", async () => {
  vi.spyOn(clients.models, "beginUpload").mockReturnValue(new Promise(() => undefined));
  const says = () => document.querySelector("[role=dialog] progress + [role=status]")?.textContent;
  await drop(new File(["0"], "net.onnx"));
  expect(says()).toBe("0 % read");
  await act(async () => useWorkspace.setState({ connection: "lost" }));
  expect(says()).toBe("The workbench does not answer: reading waits for it");
});

test("a name that a model has is refused while it is typed, and a free one is offered", async () => {
  await act(async () => openDialog("newModel"));
  const says = () => document.querySelector("[role=dialog] [role=status]")?.textContent;
  await type("#new-model-name", "digits");
  expect([submitButton()?.disabled, says()]).toEqual([true, 'There is a model "digits" already']);
  expect(note()?.textContent).toContain("A new version of digits is added on its page");
  await act(async () => note()?.querySelector("button")?.click());
  expect([nameField(), submitButton()?.disabled, says(), note()]).toEqual(["digits_2", false, "", null]);
});

test("a name that HTTP clients cannot ask for says so, and offers one that they can", async () => {
  await act(async () => openDialog("newModel"));
  await type("#new-model-name", "my_model");
  expect(note()).toBeNull();
  await type("#new-model-name", "my_model_数字");
  expect(note()?.textContent).toContain("Only gRPC clients reach this name");
  expect(submitButton()?.disabled).toBe(false);
  await act(async () => note()?.querySelector("button")?.click());
  expect([nameField(), note()]).toEqual(["my_model", null]);
});
