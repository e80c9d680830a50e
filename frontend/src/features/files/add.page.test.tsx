import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { act } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  AddFilesResponseSchema,
  BeginUploadResponseSchema,
  CreateFileResponseSchema,
  CreateFolderResponseSchema,
  DiscardUploadResponseSchema,
  GetModelResponseSchema,
  ListProblemsResponseSchema,
  ReadFileResponseSchema,
  WriteUploadResponseSchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { enter } from "../../testing/typing";
import { usePlace } from "../../window/place";
import { button, field, showFiles } from "./shown";

let end: () => Promise<void>;

beforeEach(async () => {
  const files = [{ path: "config.pbtxt" }, { path: "1/model.py" }, { path: "3/", note: "no files yet" }];
  end = await showFiles(files);
});

afterEach(async () => {
  await end();
});

const click = (name: string) => act(async () => button(name)?.click());
const says = () => document.querySelector("[role=dialog] [role=status]")?.textContent;
const type = (text: string) => act(async () => enter(field(), text));

test("a new file is made where it is named, and opens; one that exists is refused", async () => {
  const make = vi.spyOn(clients.editor, "createFile").mockResolvedValue(create(CreateFileResponseSchema));
  await click("New file…");
  expect([field()?.value, button("Create and open")?.disabled]).toEqual(["3/", true]);
  await type("1/model.py");
  expect([says(), button("Create and open")?.disabled]).toEqual(["There is a file 1/model.py already", true]);
  await type("3/words.txt");
  await click("Create and open");
  expect(make).toHaveBeenCalledWith({ model: "mine", path: "3/words.txt", text: "", repository: "r" });
  expect([field(), usePlace.getState().modelTab]).toEqual([null, "config"]);
  expect(usePlace.getState().restore).toMatchObject({ path: "3/words.txt", line: 1 }); // which takes the focus
});

test("a new file begins in the model's own folder where the newest version has its files, or with what a fix writes", async () => {
  const files = [{ path: "config.pbtxt" }, { path: "1/model.onnx" }];
  vi.spyOn(clients.models, "getModel").mockResolvedValue(
    create(GetModelResponseSchema, { summary: { name: "mine" }, files }),
  );
  await act(() => queryClient.invalidateQueries());
  await vi.waitFor(() => expect(document.body.textContent).toContain("1/model.onnx"));
  await click("New file…");
  expect(field()?.value).toBe("");
  await click("Cancel");
  const fixes = [{ title: "write it", file: { path: "1/model.py", text: "import x\n" } }];
  vi.spyOn(clients.workspace, "listProblems").mockResolvedValue(
    create(ListProblemsResponseSchema, { files: [{ model: "mine", diagnostics: [{ fixes }] }] }),
  );
  await act(() => queryClient.invalidateQueries());
  await click("New file…");
  await vi.waitFor(() => expect(field()?.value).toBe("1/model.py"));
  expect(button("Create and open")?.disabled).toBe(false);
});

test("what the program refuses is said, and the name stays", async () => {
  vi.spyOn(clients.editor, "createFile").mockRejectedValue(new Error("the path leads outside"));
  await click("New file…");
  await type("link/x");
  await click("Create and open");
  expect(document.querySelector("[role=dialog] [role=alert]")?.textContent).toContain(
    "The path leads outside",
  );
  expect(field()?.value).toBe("link/x");
});

test("a new version is the next number, and no number that is there or is none", async () => {
  const make = vi.spyOn(clients.editor, "createFolder").mockResolvedValue(create(CreateFolderResponseSchema));
  await click("New version…");
  expect([field()?.value, button("Create 4/")?.disabled]).toEqual(["4", true]);
  await type("3");
  expect(says()).toBe("There is a version 3 already");
  await type("1.5");
  expect(says()).toBe("A version is a whole number from 1 on");
  await type("9223372036854775808");
  expect(says()).toBe("A version is a number up to 9,223,372,036,854,775,807");
  await type("4");
  await click("Nothing yet");
  expect(document.querySelector("[role=dialog]")?.textContent).toContain(
    "is not loaded again until the file",
  );
  await click("Create 4/");
  expect(make).toHaveBeenCalledWith({ model: "mine", path: "4", repository: "r" });
});

test("a program is not copied without what is beside it, and the dialog says so", async () => {
  const files = [{ path: "2/model.py", text: true }, { path: "2/labels.txt", text: true }, { path: "3/" }];
  vi.spyOn(clients.models, "getModel").mockResolvedValue(
    create(GetModelResponseSchema, { summary: { name: "mine" }, files }),
  );
  await act(() => queryClient.invalidateQueries());
  await vi.waitFor(() => expect(document.body.textContent).toContain("2/labels.txt"));
  await click("New version…");
  const said = document.querySelector("[role=dialog]")?.textContent;
  expect(said).not.toContain("A copy of");
  expect(said).toContain("2/ has 2 files, so no copy of one program is offered: add them all.");
});

test("a new version of a Python model begins with a copy of the newest program", async () => {
  const files = [
    { path: "1/model.py", text: true },
    { path: "2/model.py", text: true },
  ];
  vi.spyOn(clients.models, "getModel").mockResolvedValue(
    create(GetModelResponseSchema, { summary: { name: "mine" }, files }),
  );
  await act(() => queryClient.invalidateQueries());
  await vi.waitFor(() => expect(document.body.textContent).toContain("2/model.py"));
  const read = vi
    .spyOn(clients.editor, "readFile")
    .mockResolvedValue(create(ReadFileResponseSchema, { text: "class A: ...", exists: true }));
  const make = vi.spyOn(clients.editor, "createFile").mockResolvedValue(create(CreateFileResponseSchema));
  await click("New version…");
  expect(document.querySelector("[role=dialog]")?.textContent).toContain("A copy of 2/model.py");
  await click("Create 3/");
  expect(read).toHaveBeenCalledWith({ model: "mine", path: "2/model.py", repository: "r" });
  expect(make).toHaveBeenCalledWith({
    model: "mine",
    path: "3/model.py",
    text: "class A: ...",
    repository: "r",
  });
  expect(field()).toBeNull();
});

const accept = () => {
  const begin = { upload: "u", pieceBytes: 4, maxBytes: 100n };
  return {
    begin: vi
      .spyOn(clients.models, "beginUpload")
      .mockResolvedValue(create(BeginUploadResponseSchema, begin)),
    write: vi.spyOn(clients.models, "writeUpload").mockResolvedValue(create(WriteUploadResponseSchema)),
    add: vi
      .spyOn(clients.models, "addFiles")
      .mockResolvedValue(create(AddFilesResponseSchema, { paths: ["1/weights.bin"] })),
    discard: vi.spyOn(clients.models, "discardUpload").mockResolvedValue(create(DiscardUploadResponseSchema)),
  };
};
const chosen = (names: string[]) =>
  (names.length === 0 ? ["weights.bin"] : names).map((name) => new File(["012345"], name));
const pick = (label: string, ...names: string[]) =>
  act(async () => {
    const input = document.querySelector<HTMLInputElement>(`input[aria-label="${label}"]`);
    Object.defineProperty(input, "files", { value: chosen(names), configurable: true });
    input?.dispatchEvent(new Event("change", { bubbles: true }));
  });

test("a new version comes with the files that are chosen", async () => {
  const { add } = accept();
  await click("New version…");
  await pick("Files of the version");
  await click("Create 4/");
  expect(add).toHaveBeenCalledWith({ upload: "u", model: "mine", folder: "4", repository: "r" });
  expect(field()).toBeNull();
});

const showOnnx = async () => {
  const files = [{ path: "config.pbtxt" }, { path: "2/model.onnx" }];
  const names = { modelFile: "model.onnx", modelEndings: [".onnx"] };
  vi.spyOn(clients.models, "getModel").mockResolvedValue(
    create(GetModelResponseSchema, { summary: { name: "mine" }, files, ...names }),
  );
  await act(() => queryClient.invalidateQueries());
  await vi.waitFor(() => expect(document.body.textContent).toContain("2/model.onnx"));
};

test("the model file of a new version gets the name that the backend looks for, and what it names keeps its own", async () => {
  const { write, add } = accept();
  await showOnnx();
  await click("New version…");
  await pick("Files of the version", "doubler.onnx", "doubler.onnx.data");
  expect([...document.querySelectorAll("[role=dialog] li")].map((li) => li.textContent)).toEqual([
    "3/model.onnx 6 B, renamed from doubler.onnx: the backend looks for model.onnx",
    "3/doubler.onnx.data 6 B",
  ]);
  await click("Create 3/");
  expect(write.mock.calls[0]?.[0]).toMatchObject({ file: "model.onnx" });
  expect(add).toHaveBeenCalledWith({ upload: "u", model: "mine", folder: "3", repository: "r" });
});

test("a model file that is added to a version is renamed where the version has none, and is sent again under another name", async () => {
  const { write, add } = accept();
  add.mockRejectedValueOnce(new ConnectError("the disk is full", Code.ResourceExhausted));
  await showOnnx();
  await pick("Files to add", "doubler.onnx");
  const lines = () => [...document.querySelectorAll("[role=dialog] li")].map((li) => li.textContent);
  expect([field()?.value, lines()]).toEqual(["2", ["2/doubler.onnx 6 B"]]);
  await type("3");
  expect(lines()[0]).toContain("3/model.onnx 6 B, renamed from");
  await click("Add");
  await type("extra");
  expect(lines()).toEqual(["extra/doubler.onnx 6 B"]);
  await click("Add");
  expect([...new Set(write.mock.calls.map(([{ file }]) => file))]).toEqual(["model.onnx", "doubler.onnx"]);
});

test("labels are added beside the config, but for a program, which has its texts beside itself", async () => {
  await pick("Files to add", "labels.txt");
  expect(field()?.value).toBe("3"); // the model has a model.py
  await click("Cancel");
  await pick("Files to add", "requirements.txt");
  expect(field()?.value).toBe("");
  await click("Cancel");
  const files = [{ path: "config.pbtxt" }, { path: "2/model.onnx" }];
  vi.spyOn(clients.models, "getModel").mockResolvedValue(
    create(GetModelResponseSchema, { summary: { name: "mine" }, files }),
  );
  await act(() => queryClient.invalidateQueries());
  await vi.waitFor(() => expect(document.body.textContent).toContain("2/model.onnx"));
  await pick("Files to add", "labels.txt");
  expect(field()?.value).toBe("");
  await click("Cancel");
  await pick("Files to add");
  expect(field()?.value).toBe("2");
});

test("files that were sent are not sent again after a refusal, and are discarded with the dialog", async () => {
  const { begin, write, add, discard } = accept();
  add.mockRejectedValue(new ConnectError("there is such a file", Code.AlreadyExists));
  await pick("Files to add");
  await click("Add");
  await click("Add");
  expect([begin.mock.calls.length, write.mock.calls.length, add.mock.calls.length]).toEqual([1, 2, 2]);
  expect(discard).not.toHaveBeenCalled();
  await click("Cancel");
  expect(discard.mock.calls).toEqual([[{ upload: "u" }]]);
});

test("files of which a part was sent, or that are gone, are discarded and sent again", async () => {
  const { begin, write, add, discard } = accept();
  write.mockRejectedValueOnce(new Error("the disk is full"));
  await pick("Files to add");
  await click("Add");
  expect(discard).toHaveBeenCalledTimes(1);
  add.mockRejectedValueOnce(new ConnectError("not here any more", Code.NotFound));
  await click("Add");
  expect(discard).toHaveBeenCalledTimes(2);
  await click("Add");
  expect([begin.mock.calls.length, field()]).toEqual([3, null]);
});

test("files that are dropped are sent and put into the folder that is chosen", async () => {
  const { write, add } = accept();
  await act(async () => {
    const event = new Event("drop", { bubbles: true, cancelable: true });
    Object.assign(event, {
      dataTransfer: { types: ["Files"], files: [new File(["012345"], "weights.bin")] },
    });
    document.querySelector("table")?.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
  });
  await type("1/");
  await click("Add");
  expect(write.mock.calls.map(([{ file, offset }]) => [file, offset])).toEqual([
    ["weights.bin", 0n],
    ["weights.bin", 4n],
  ]);
  expect(add).toHaveBeenCalledWith({ upload: "u", model: "mine", folder: "1", repository: "r" });
  expect(field()).toBeNull();
});
