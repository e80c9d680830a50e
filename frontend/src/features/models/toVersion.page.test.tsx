/** A file for a new model that is meant for one that is there. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  BeginUploadResponseSchema,
  DiscardUploadResponseSchema,
  DraftModelResponseSchema,
  ListKindsResponseSchema,
  ModelSummarySchema,
  RepositorySchema,
  WriteUploadResponseSchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { closeDialog, openDialog } from "../../window/dialogs";
import { usePlace } from "../../window/place";
import { useVersionFiles } from "../../window/versionFiles";
import { useWorkspace } from "../../workspace/workspace";
import { NewModelDialog } from "./NewModelDialog";
import { takeFiles } from "./newModel";

let root: Root;

beforeEach(async () => {
  vi.spyOn(clients.models, "listKinds").mockResolvedValue(create(ListKindsResponseSchema));
  const repository = create(RepositorySchema, { id: "r", roots: ["/models"] });
  useWorkspace.setState({ connection: "live", repository });
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <NewModelDialog />
      </QueryClientProvider>,
    ),
  );
});

afterEach(async () => {
  await act(async () => closeDialog());
  await act(async () => root.unmount());
  vi.restoreAllMocks();
});

/** Chooses a file that would make a model "net", and waits for what the dialog makes of it. */
async function draftNet(): Promise<void> {
  const begin = { upload: "u1", pieceBytes: 4, maxBytes: 100n };
  vi.spyOn(clients.models, "beginUpload").mockResolvedValue(create(BeginUploadResponseSchema, begin));
  vi.spyOn(clients.models, "writeUpload").mockResolvedValue(create(WriteUploadResponseSchema));
  vi.spyOn(clients.models, "discardUpload").mockResolvedValue(create(DiscardUploadResponseSchema));
  const draft = { name: "net", backend: "onnxruntime", label: "ONNX", config: "", files: ["1/model.onnx"] };
  vi.spyOn(clients.models, "draftModel").mockResolvedValue(create(DraftModelResponseSchema, draft));
  await act(async () => openDialog("newModel"));
  await act(async () => takeFiles([new File(["0123456789"], "net.onnx")]));
  await vi.waitFor(() => expect(document.querySelector("#new-model-config")).not.toBeNull());
}

const button = (text: string) =>
  [...document.querySelectorAll("button")].find(({ textContent }) => textContent === text);

const models = (...all: MessageInitShape<typeof ModelSummarySchema>[]) =>
  useWorkspace.setState({
    models: new Map(all.map((one) => [one.name ?? "", create(ModelSummarySchema, one)])),
  });

test("a dropped file whose name a model has can become a version of that model", async () => {
  models({ name: "net" }, { name: "other" });
  await draftNet();
  expect(document.querySelector("[role=dialog]")?.textContent).toContain('There is a model "net" already');
  expect(button("Use net_2")).toBeDefined();
  await act(async () => button("New version of net…")?.click());
  expect(document.querySelector("[role=dialog]")).toBeNull();
  expect(usePlace.getState()).toMatchObject({ model: "net", modelTab: "files" });
  expect(useVersionFiles.getState()).toMatchObject({ model: "net", files: [{ name: "net.onnx" }] });
});

test("a dropped file can become a version of the model that is shown, unless none can be added to it", async () => {
  models({ name: "shown" }, { name: "read", ensemble: true }, { name: "far", servedOnly: true });
  usePlace.setState({ model: "shown" });
  await draftNet();
  expect(button("New version of shown…")).toBeDefined();
  for (const model of ["read", "far", "", "gone"]) {
    await act(async () => usePlace.setState({ model }));
    expect(document.querySelector("[role=dialog]")?.textContent).not.toContain("New version of");
  }
});
