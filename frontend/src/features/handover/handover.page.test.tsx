import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { PrepareExportResponseSchema, WriteExportResponseSchema } from "../../api/conch_pb";
import { enter } from "../../testing/typing";
import { openDialog } from "../../window/dialogs";
import { useWorkspace } from "../../workspace/workspace";
import { HandoverDialog } from "./HandoverDialog";

const releases = ["24.10", "24.12"];
const tooOld = create(PrepareExportResponseSchema, {
  releases,
  problems: [{ model: "digits", path: "/models/digits", rule: "REL4", text: "needs a newer ONNX Runtime" }],
  notes: ["Image tritonserver:24.10-py3, no GPU."],
  files: [{ name: "compose.yaml", text: "name: models\n" }],
});
const fine = create(PrepareExportResponseSchema, {
  releases,
  notes: ["Image tritonserver:24.12-py3, no GPU."],
  files: [
    { name: "deployment.yaml", text: "kind: Deployment\n" },
    { name: "service.yaml", text: "kind: Service\n" },
  ],
});

const find = <T extends Element>(selector: string) => {
  const found = document.querySelector<T>(selector);
  if (!found) throw new Error(`no ${selector}`);
  return found;
};
const button = (text: string) => {
  const found = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === text);
  if (!found) throw new Error(`no button ${text}`);
  return found;
};
const type = (selector: string, value: string) => enter(find<HTMLInputElement>(selector), value);
const text = () => document.body.textContent ?? "";

test("problems come first, pods need a storage, and a conflict is named", async () => {
  useWorkspace.setState({ connection: "live" });
  const prepare = vi
    .spyOn(clients.handover, "prepareExport")
    .mockImplementation(async ({ choice }) => (choice?.target === "compose" ? tooOld : fine));
  const write = vi.spyOn(clients.handover, "writeExport").mockResolvedValue(
    create(WriteExportResponseSchema, {
      folder: "/home/me/deploy",
      written: ["service.yaml"],
      kept: ["deployment.yaml"],
      conflicts: [{ file: "deployment.yaml", line: 7, kept: "image: own", offered: "image: theirs" }],
    }),
  );
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => {
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <HandoverDialog />
      </QueryClientProvider>,
    );
    openDialog("handover");
  });
  await vi.waitFor(() => expect(text()).toContain("Needs a newer ONNX Runtime REL4"));
  expect(find("[aria-label='What would not run there'] li strong").className).toBe("mono");
  expect(text().indexOf("Needs a newer")).toBeLessThan(text().indexOf("Image tritonserver"));
  expect(button("Write anyway").disabled).toBe(true);

  await act(async () => button("Kubernetes").click());
  expect(text()).toContain("say where the repository is");
  expect(prepare).toHaveBeenCalledTimes(1);
  await act(async () => type("[role=dialog] form input", "pvc:models"));
  await act(async () => find<HTMLFormElement>("form").requestSubmit());
  await vi.waitFor(() => expect(text()).toContain("Nothing was found that would not run there"));
  expect(prepare.mock.lastCall?.[0].choice).toMatchObject({ target: "kubernetes", storage: "pvc:models" });

  await act(async () => type("[aria-label='Folder to write to']", "~/deploy"));
  await act(async () => button("Write the files").click());
  expect(write.mock.lastCall?.[0]).toMatchObject({ folder: "~/deploy", anyway: false });
  await vi.waitFor(() => expect(text()).toContain("deployment.yaml, line 7: your edit stays"));
  expect(text()).toContain("image: own");
  expect(text()).toContain("image: theirs");
  await act(async () => root.unmount());
});

const withEnvironments = create(PrepareExportResponseSchema, {
  releases,
  bytes: 2_000_000n,
  environments: [
    { model: "doubles", of: ".venv", bytes: 310_000_000n },
    { model: "speaks", of: "requirements.txt" },
  ],
  files: [{ name: "compose.yaml", text: "name: models\n" }],
});

const PACK = "[role=dialog] input[type=checkbox]";

test("environments are packed where a model has one, with what they take; it can be stopped", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  useWorkspace.setState({ connection: "live" });
  const prepare = vi.spyOn(clients.handover, "prepareExport").mockReset().mockResolvedValue(fine);
  let signal: AbortSignal | undefined;
  vi.spyOn(clients.handover, "writeExport")
    .mockReset()
    .mockImplementation((_, options) => {
      signal = options?.signal;
      return new Promise((_, reject) =>
        signal?.addEventListener("abort", () => reject(new Error("stopped"))),
      );
    });
  const client = new QueryClient();
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => {
    root.render(
      <QueryClientProvider client={client}>
        <HandoverDialog />
      </QueryClientProvider>,
    );
    openDialog("handover");
  });
  await vi.waitFor(() => expect(text()).toContain("No Python model has a .venv or a requirements.txt"));
  expect(find<HTMLInputElement>(PACK).disabled).toBe(true);

  prepare.mockResolvedValue(withEnvironments);
  await act(async () => client.invalidateQueries());
  await vi.waitFor(() => expect(find<HTMLInputElement>(PACK).disabled).toBe(false));
  expect(text()).toContain("(1.9 MiB without environments)");
  expect(text()).toContain(
    "doubles (.venv, 296 MiB), speaks (requirements.txt, its packages are downloaded)",
  );
  await act(async () => find<HTMLInputElement>(PACK).click());
  await vi.waitFor(() => expect(prepare.mock.lastCall?.[0].choice).toMatchObject({ pack: true }));

  await vi.waitFor(() => find("[aria-label='Folder to write to']"));
  await act(async () => type("[aria-label='Folder to write to']", "~/deploy"));
  await act(async () => button("Write the files").click());
  await vi.waitFor(() => expect(text()).toContain("Packing Python environments"));
  await act(async () => button("Stop").click());
  expect(signal?.aborted).toBe(true);
  await vi.waitFor(() => expect(text()).not.toContain("Packing Python environments"));
  expect(text()).not.toContain("The files were not written");
  await act(async () => root.unmount());
});
