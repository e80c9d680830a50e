import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  AddFilesResponseSchema,
  BeginUploadResponseSchema,
  CreateFileResponseSchema,
  CreateFolderResponseSchema,
  GetModelResponseSchema,
  ListProblemsResponseSchema,
  RepositorySchema,
  WriteUploadResponseSchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { usePlace } from "../../window/place";
import { useWorkspace } from "../../workspace/workspace";
import { FilesView } from "./FilesView";

let root: Root;

beforeEach(async () => {
  useWorkspace.setState({
    connection: "live",
    repository: create(RepositorySchema, { id: "r", roots: ["/r"] }),
  });
  vi.spyOn(clients.workspace, "listProblems").mockResolvedValue(create(ListProblemsResponseSchema));
  const files = [{ path: "config.pbtxt" }, { path: "1/model.py" }, { path: "3/", note: "no files yet" }];
  vi.spyOn(clients.models, "getModel").mockResolvedValue(
    create(GetModelResponseSchema, { summary: { name: "mine" }, files }),
  );
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <FilesView model="mine" />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(document.body.textContent).toContain("1/model.py"));
});

afterEach(async () => {
  await act(async () => root.unmount());
  document.body.replaceChildren();
  queryClient.clear();
  vi.restoreAllMocks();
});

const button = (name: string) =>
  [...document.querySelectorAll("button")].find(({ textContent }) => textContent === name);
const click = (name: string) => act(async () => button(name)?.click());
const field = () => document.querySelector<HTMLInputElement>("[role=dialog] input");
const says = () => document.querySelector("[role=dialog] [role=status]")?.textContent;
const type = (text: string) =>
  act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field(), text);
    field()?.dispatchEvent(new Event("input", { bubbles: true }));
  });

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
});

test("what the program refuses is said, and the name stays", async () => {
  vi.spyOn(clients.editor, "createFile").mockRejectedValue(new Error("the path leads outside"));
  await click("New file…");
  await type("../x");
  await click("Create and open");
  expect(document.querySelector("[role=dialog] [role=alert]")?.textContent).toContain(
    "the path leads outside",
  );
  expect(field()?.value).toBe("../x");
});

test("a new version is the next number, and no number that is there or is none", async () => {
  const make = vi.spyOn(clients.editor, "createFolder").mockResolvedValue(create(CreateFolderResponseSchema));
  await click("New version…");
  expect(field()?.value).toBe("4");
  await type("3");
  expect(says()).toBe("There is a version 3 already");
  await type("1.5");
  expect(says()).toBe("A version is a whole number from 1 on");
  await type("4");
  await click("Create 4/");
  expect(make).toHaveBeenCalledWith({ model: "mine", path: "4", repository: "r" });
});

test("files that are dropped are sent and put into the folder that is chosen", async () => {
  const begin = { upload: "u", pieceBytes: 4, maxBytes: 100n };
  vi.spyOn(clients.models, "beginUpload").mockResolvedValue(create(BeginUploadResponseSchema, begin));
  const write = vi.spyOn(clients.models, "writeUpload").mockResolvedValue(create(WriteUploadResponseSchema));
  const add = vi
    .spyOn(clients.models, "addFiles")
    .mockResolvedValue(create(AddFilesResponseSchema, { paths: ["1/weights.bin"] }));
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
