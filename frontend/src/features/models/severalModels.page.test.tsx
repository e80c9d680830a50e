import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  BeginUploadResponseSchema,
  CreateModelResponseSchema,
  DiscardUploadResponseSchema,
  DraftModelResponseSchema,
  ListKindsResponseSchema,
  RepositorySchema,
  SeveralModelsSchema,
  WriteUploadResponseSchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { openDialog, useDialogs } from "../../window/dialogs";
import { takeUp, useToasts } from "../../window/toasts";
import { useWorkspace } from "../../workspace/workspace";
import { NewModelDialog } from "./NewModelDialog";
import { takeFiles } from "./newModel";

test("of two model files each becomes a model, without being dropped again", async () => {
  const sent: string[][] = [];
  vi.spyOn(clients.models, "beginUpload").mockImplementation(async () => {
    sent.push([]);
    return create(BeginUploadResponseSchema, { upload: String(sent.length), pieceBytes: 99, maxBytes: 99n });
  });
  vi.spyOn(clients.models, "writeUpload").mockImplementation(async ({ file }) => {
    sent.at(-1)?.push(String(file));
    return create(WriteUploadResponseSchema);
  });
  vi.spyOn(clients.models, "discardUpload").mockResolvedValue(create(DiscardUploadResponseSchema));
  vi.spyOn(clients.models, "createModel").mockResolvedValue(create(CreateModelResponseSchema));
  const files = ["a.onnx", "b.onnx"];
  const several = { desc: SeveralModelsSchema, value: { files } };
  vi.spyOn(clients.models, "draftModel").mockImplementation(async () => {
    const [first = "", second] = sent.at(-1) ?? [];
    if (second === "b.onnx")
      throw new ConnectError("are several model files", Code.FailedPrecondition, undefined, [several]);
    return create(DraftModelResponseSchema, { name: first.replace(".onnx", "") });
  });
  vi.spyOn(clients.models, "listKinds").mockResolvedValue(create(ListKindsResponseSchema));
  useWorkspace.setState({
    connection: "live",
    repository: create(RepositorySchema, { id: "r", roots: ["/models"] }),
  });
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <NewModelDialog />
      </QueryClientProvider>,
    ),
  );
  const submitButton = () => document.querySelector<HTMLButtonElement>("button[type=submit]");
  const button = (label: string) =>
    [...document.querySelectorAll("button")].find(({ textContent }) => textContent === label);
  await act(async () => openDialog("newModel"));
  await act(
    async () => void takeFiles(["a.onnx", "b.onnx", "labels.txt"].map((name) => new File(["0"], name))),
  );
  await vi.waitFor(() => expect(button("Make a model of b.onnx")).toBeDefined());
  await act(async () => button("Make a model of a.onnx")?.click());
  await vi.waitFor(() => expect(submitButton()?.disabled).toBe(false));
  expect(sent.at(-1)).toEqual(["a.onnx", "labels.txt"]);
  await act(async () => submitButton()?.click());
  const told = useToasts
    .getState()
    .toasts.find(({ text }) => text === "b.onnx came with it, for another model");
  expect(useDialogs.getState().open).toBeUndefined();
  await act(async () => told && takeUp(told));
  await vi.waitFor(() =>
    expect(document.querySelector<HTMLInputElement>("#new-model-name")?.value).toBe("b"),
  );
  expect(sent.at(-1)).toEqual(["b.onnx", "labels.txt"]);
  await act(async () => root.unmount());
});
