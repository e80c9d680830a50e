import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  BeginUploadResponseSchema,
  CreateModelResponseSchema,
  DiscardUploadResponseSchema,
  DraftModelResponseSchema,
  GetModelResponseSchema,
  ListKindsResponseSchema,
  RepositorySchema,
  WriteUploadResponseSchema,
} from "../../api/conch_pb";
import { modelQuery, queryClient } from "../../api/queries";
import { enter } from "../../testing/typing";
import { closeDialog, openDialog, useDialogs } from "../../window/dialogs";
import { usePlace } from "../../window/place";
import { useToasts } from "../../window/toasts";
import { useWorkspace } from "../../workspace/workspace";
import { DropHere } from "./DropHere";
import { NewModelDialog } from "./NewModelDialog";

const lacks =
  'This engine has no backend "python". Python models can be made here, and run where a Triton has it.';

let root: Root;

beforeEach(async () => {
  const kinds = create(ListKindsResponseSchema, {
    kinds: [
      { backend: "onnxruntime", label: "ONNX", note: "runs model.onnx" },
      { backend: "python", label: "Python", note: "runs model.py", lacks },
    ],
  });
  vi.spyOn(clients.models, "listKinds").mockResolvedValue(kinds);
  useWorkspace.setState({
    connection: "live",
    repository: create(RepositorySchema, { id: "r", roots: ["/models"] }),
  });
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <NewModelDialog />
        <DropHere />
      </QueryClientProvider>,
    ),
  );
});

afterEach(async () => {
  await act(async () => closeDialog());
  await act(async () => root.unmount());
  vi.restoreAllMocks();
});

const type = (selector: string, text: string) =>
  act(async () => enter(document.querySelector<HTMLInputElement | HTMLTextAreaElement>(selector), text));
const submitButton = () => document.querySelector<HTMLButtonElement>("button[type=submit]");

test("a kind whose package is missing says so at once, and how it is installed", async () => {
  const needs = "torch is not installed: python3 lacks it. Create the model, and press Install on its page";
  const kinds = create(ListKindsResponseSchema, {
    kinds: [
      { backend: "onnxruntime", label: "ONNX", note: "runs model.onnx" },
      { backend: "pytorch", label: "PyTorch", note: "runs model.pt", needs },
    ],
  });
  vi.spyOn(clients.models, "listKinds").mockResolvedValue(kinds);
  await act(async () => openDialog("newModel"));
  const choice = () => document.querySelector<HTMLInputElement>("input[value=pytorch]");
  await vi.waitFor(() => expect(choice()).not.toBeNull());
  expect(choice()?.closest("label")?.textContent).toContain("package missing");
  expect(document.querySelector("[role=note]")).toBeNull();
  await act(async () => choice()?.click());
  expect(document.querySelector("[role=note]")?.textContent).toBe(needs);
});

test("where no model can be made it is said at once, with the reason, and nothing can be sent", async () => {
  const closed = "cannot make a model in /models: the file system is mounted read-only";
  const kinds = [{ backend: "onnxruntime", label: "ONNX" }];
  vi.spyOn(clients.models, "listKinds").mockResolvedValue(create(ListKindsResponseSchema, { kinds, closed }));
  queryClient.removeQueries({ queryKey: ["kinds"] });
  await act(async () => openDialog("newModel"));
  await vi.waitFor(() =>
    expect(document.querySelector("[role=note]")?.textContent).toBe(`C${closed.slice(1)}`),
  );
  await type("#new-model-name", "fresh");
  expect(submitButton()?.disabled).toBe(true);
});

test("a kind that cannot run here comes last, says why when it is chosen, and can be begun", async () => {
  await act(async () => openDialog("newModel"));
  const choice = () => document.querySelector<HTMLInputElement>("input[value=python]");
  await vi.waitFor(() => expect(choice()?.closest("label")?.textContent).toContain("not run here"));
  await act(async () => choice()?.click());
  expect(document.querySelector("[role=note]")?.textContent).toBe(lacks);
  expect(submitButton()?.textContent).toBe("Create the folder");
});

test("a kind with a program to begin with says so, and its program is opened", async () => {
  const made = vi
    .spyOn(clients.models, "createModel")
    .mockResolvedValue(create(CreateModelResponseSchema, { open: "1/model.py" }));
  vi.spyOn(clients.models, "listKinds").mockResolvedValue(
    create(ListKindsResponseSchema, {
      kinds: [{ backend: "python", label: "Python", writes: "1/model.py" }],
    }),
  );
  queryClient.removeQueries({ queryKey: ["kinds"] });
  await act(async () => openDialog("newModel"));
  await vi.waitFor(() => expect(document.querySelector("input[value=python]")).not.toBeNull());
  expect(document.querySelector("[role=dialog]")?.textContent).toContain("a first 1/model.py that answers");
  await type("#new-model-name", "begun");
  expect(submitButton()?.textContent).toBe("Create and load");
  await act(async () => submitButton()?.click());
  expect(made).toHaveBeenCalledWith({ name: "begun", backend: "python", repository: "r" });
  const restore = { path: "1/model.py", line: 1 }; // which takes the focus
  expect(usePlace.getState()).toMatchObject({ model: "begun", modelTab: "config", restore });
});

/** Drops a file on the window, as a browser tells of it. */
const drop = (file: File, target: Element = document.body) =>
  act(async () => {
    const event = new Event("drop", { bubbles: true, cancelable: true });
    Object.assign(event, { dataTransfer: { types: ["Files"], files: [file], items: [] } });
    target.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
  });

test("a dropped file is sent in pieces, shown as a model, and made one with what was changed", async () => {
  const begin = { upload: "u1", pieceBytes: 4, maxBytes: 100n };
  vi.spyOn(clients.models, "beginUpload").mockResolvedValue(create(BeginUploadResponseSchema, begin));
  const write = vi.spyOn(clients.models, "writeUpload").mockResolvedValue(create(WriteUploadResponseSchema));
  const draft = { name: "net", backend: "onnxruntime", label: "ONNX", config: 'backend: "onnxruntime"\n' };
  vi.spyOn(clients.models, "draftModel").mockResolvedValue(
    create(DraftModelResponseSchema, { ...draft, files: ["1/model.onnx"] }),
  );
  const made = vi.spyOn(clients.models, "createModel").mockResolvedValue(create(CreateModelResponseSchema));
  await drop(new File(["0123456789"], "net.onnx"));
  await vi.waitFor(() => expect(document.querySelector("#new-model-config")).not.toBeNull());
  const pieces = write.mock.calls.map(([{ file, offset, data }]) => [file, offset, data?.length]);
  expect(pieces).toEqual([
    ["net.onnx", 0n, 4],
    ["net.onnx", 4n, 4],
    ["net.onnx", 8n, 2],
  ]);
  expect(document.querySelector("[role=dialog]")?.textContent).toContain("1/model.onnx");
  expect(submitButton()?.textContent).toBe("Create and load");
  await type("#new-model-name", "net2");
  await type("#new-model-config", 'backend: "onnxruntime"\nmax_batch_size: 4\n');
  await act(async () => submitButton()?.click());
  expect(made).toHaveBeenCalledWith(
    expect.objectContaining({
      name: "net2",
      upload: "u1",
      config: 'backend: "onnxruntime"\nmax_batch_size: 4\n',
      repository: "r",
    }),
  );
  expect(usePlace.getState().model).toBe("net2");
});

test("a file that is dropped on the config's text is a new model too, and never text", async () => {
  const begin = { upload: "u5", pieceBytes: 4, maxBytes: 100n };
  vi.spyOn(clients.models, "beginUpload").mockResolvedValue(create(BeginUploadResponseSchema, begin));
  vi.spyOn(clients.models, "writeUpload").mockResolvedValue(create(WriteUploadResponseSchema));
  vi.spyOn(clients.models, "draftModel").mockResolvedValue(
    create(DraftModelResponseSchema, { name: "net", backend: "onnxruntime", label: "ONNX" }),
  );
  const editor = document.body.appendChild(document.createElement("div"));
  editor.className = "cm-editor";
  const text = editor.appendChild(document.createElement("div"));
  const inserts = vi.fn((event: Event) => event.preventDefault()); // as the editor's library does
  text.addEventListener("drop", inserts);
  await drop(new File(["01"], "net.onnx"), text);
  await vi.waitFor(() => expect(document.querySelector("#new-model-config")).not.toBeNull());
  expect(inserts).not.toHaveBeenCalled();
  editor.remove();
});

test("a file that is too large, or no model, says so, and its pieces are discarded", async () => {
  const begin = { upload: "u2", pieceBytes: 4, maxBytes: 5n };
  vi.spyOn(clients.models, "beginUpload").mockResolvedValue(create(BeginUploadResponseSchema, begin));
  const discard = vi
    .spyOn(clients.models, "discardUpload")
    .mockResolvedValue(create(DiscardUploadResponseSchema));
  await drop(new File(["0123456789"], "net.onnx"));
  await vi.waitFor(() => expect(document.querySelector("[role=dialog] [role=alert]")).not.toBeNull());
  expect(document.querySelector("[role=dialog] [role=alert]")?.textContent).toMatch(/too much to send/);
  expect(submitButton()?.disabled).toBe(true);
  const remove = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Remove");
  await act(async () => remove?.click());
  expect(discard).toHaveBeenCalledWith({ upload: "u2" });
  expect(document.querySelector("input[value=onnxruntime]")).not.toBeNull();
});

/** A folder as a browser gives it: its entries come in parts. */
const directory = (name: string, entries: object[], fails = false): object => ({
  name,
  isDirectory: true,
  createReader: () => {
    const parts = [entries.slice(0, 1), entries.slice(1), []];
    return {
      readEntries: (take: (list: object[]) => void, refuse: (why: Error) => void) =>
        fails ? refuse(new Error("not permitted")) : take(parts.shift() ?? []),
    };
  },
});
const entry = (name: string, text: string) => ({
  name,
  isDirectory: false,
  file: (take: (file: File) => void) => take(new File([text], name)),
});
const dropFolder = (folder: object) =>
  act(async () => {
    const event = new Event("drop", { bubbles: true, cancelable: true });
    const items = [{ webkitGetAsEntry: () => folder }];
    Object.assign(event, { dataTransfer: { types: ["Files"], files: [], items } });
    document.body.dispatchEvent(event);
  });

test("the folder of a model that is dropped is sent with all its files, each with its path", async () => {
  const begin = { upload: "u3", pieceBytes: 100, maxBytes: 100n };
  const began = vi
    .spyOn(clients.models, "beginUpload")
    .mockResolvedValue(create(BeginUploadResponseSchema, begin));
  const write = vi.spyOn(clients.models, "writeUpload").mockResolvedValue(create(WriteUploadResponseSchema));
  write.mockClear();
  const draft = { name: "resnet", label: "ONNX", config: "", files: ["1/model.onnx", "config.pbtxt"] };
  vi.spyOn(clients.models, "draftModel").mockResolvedValue(create(DraftModelResponseSchema, draft));
  const inside = [
    directory("1", [entry("model.onnx", "net")]),
    entry("config.pbtxt", "c"),
    entry("labels.txt", ""),
  ];
  await dropFolder(directory("resnet", inside));
  await vi.waitFor(() => expect(document.querySelector("#new-model-config")).not.toBeNull());
  expect(began).toHaveBeenCalledWith(expect.objectContaining({ folder: "resnet" }));
  const sent = write.mock.calls.map(([{ file, data }]) => [file, data?.length]);
  expect(sent).toEqual([
    ["1/model.onnx", 3],
    ["config.pbtxt", 1],
    ["labels.txt", 0],
  ]);
  expect(document.querySelector("[role=dialog]")?.textContent).toContain("config.pbtxt from your files");
});

test("a folder that the browser does not let the page read says what to do instead", async () => {
  await dropFolder(directory("resnet", [], true));
  await vi.waitFor(() => expect(document.querySelector("[role=dialog] [role=alert]")).not.toBeNull());
  expect(document.querySelector("[role=dialog] [role=alert]")?.textContent).toContain(
    "The folder resnet could not be read here: not permitted. Copy it into the repository's folder instead",
  );
});

test("a picture that is dropped beside an input says where to drop it, and makes no model", async () => {
  const upload = vi.spyOn(clients.models, "beginUpload");
  upload.mockClear();
  closeDialog();
  usePlace.setState({ model: "yolo" });
  const input = (name: string, datatype: string, shape: bigint[]) => ({ name, datatype, shape });
  queryClient.setQueryData(
    modelQuery("yolo").queryKey,
    create(GetModelResponseSchema, {
      inputs: [input("images", "FP32", [1n, 3n, 640n, 640n]), input("limit", "FP32", [1n])],
    }),
  );
  const drop = async (file: File) => {
    const event = new Event("drop", { bubbles: true, cancelable: true });
    Object.defineProperty(event, "dataTransfer", { value: { files: [file], items: [], types: ["Files"] } });
    await act(async () => window.dispatchEvent(event));
    return useToasts.getState().toasts.at(-1);
  };
  const told = await drop(new File(["x"], "wide.jpg", { type: "image/jpeg" }));
  expect(told?.text).toBe("wide.jpg is no model file");
  expect(told?.detail).toBe("To send it to yolo, drop it on the input images.");
  expect(useDialogs.getState().open).toBeUndefined();
  expect(upload).not.toHaveBeenCalled();
  usePlace.setState({ model: "" });
  expect((await drop(new File(["x"], "x.npy")))?.detail).toContain("open a model that takes such files");
});
