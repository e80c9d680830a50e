import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { ModelState, ModelSummarySchema, UnloadResponseSchema } from "../../api/conch_pb";
import named from "../../ui/Named.module.css";
import { useToasts } from "../../window/toasts";
import { askUnload } from "../../workspace/modelActions";
import { useWorkspace } from "../../workspace/workspace";
import { UnloadDialog } from "./UnloadDialog";

const READY = ModelState.READY;
const models = [
  create(ModelSummarySchema, { name: "digits", state: READY, usedBy: ["read_digit"] }),
  create(ModelSummarySchema, { name: "read_digit", state: READY, ensemble: true, usedBy: ["post"] }),
  create(ModelSummarySchema, { name: "post", state: READY, ensemble: true }),
];

test("what stops serving with a model is shown before it is unloaded", async () => {
  useWorkspace.setState({ connection: "live", models: new Map(models.map((model) => [model.name, model])) });
  const unload = vi.spyOn(clients.models, "unload").mockResolvedValue(create(UnloadResponseSchema));
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => root.render(<UnloadDialog />));
  await act(async () => askUnload("digits"));
  const dialog = document.querySelector("[role=dialog]");
  const names = [...(dialog?.querySelectorAll("code") ?? [])].map(({ textContent }) => textContent);
  expect([names, unload.mock.calls.length]).toEqual([["read_digit", "post"], 0]);
  const button = [...(dialog?.querySelectorAll("button") ?? [])].find(
    ({ textContent }) => textContent === "Unload digits",
  );
  expect(button?.querySelector(`.${named.name}`)?.textContent).toBe("digits");
  await act(async () => button?.click());
  expect(unload).toHaveBeenCalledWith({ name: "digits", unloadDependents: false, server: "" });
  expect(document.querySelector("[role=dialog]")).toBeNull();
  await act(async () => root.unmount());
});

test("a model that nothing is made of is unloaded at once, and that is said", async () => {
  useToasts.setState({ toasts: [] });
  vi.spyOn(clients.models, "unload").mockResolvedValue(create(UnloadResponseSchema));
  askUnload("post");
  await vi.waitFor(() =>
    expect(useToasts.getState().toasts.map(({ text }) => text)).toEqual(["post unloaded"]),
  );
});
