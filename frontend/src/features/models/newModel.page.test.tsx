import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { ListKindsResponseSchema, ModelSummarySchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { openDialog } from "../../window/dialogs";
import { useWorkspace } from "../../workspace/workspace";
import { NewModelDialog } from "./NewModelDialog";

test("a name that a model has is refused while it is typed", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const kinds = create(ListKindsResponseSchema, { kinds: [{ backend: "python", label: "Python" }] });
  vi.spyOn(clients.models, "listKinds").mockResolvedValue(kinds);
  useWorkspace.setState({
    connection: "live",
    models: new Map([["digits", create(ModelSummarySchema, { name: "digits" })]]),
  });
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <NewModelDialog />
      </QueryClientProvider>,
    ),
  );
  await act(async () => openDialog("newModel"));
  const type = (name: string) =>
    act(async () => {
      const field = document.querySelector<HTMLInputElement>("#new-model-name");
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, name);
      field?.dispatchEvent(new Event("input", { bubbles: true }));
    });
  const isOff = () => document.querySelector<HTMLButtonElement>("button[type=submit]")?.disabled;
  const says = () => document.querySelector("[role=dialog] [role=status]")?.textContent;
  await type("digits");
  expect([isOff(), says()]).toEqual([true, 'There is a model "digits" already']);
  await type("digits2");
  expect([isOff(), says()]).toEqual([false, ""]);
  await act(async () => root.unmount());
});
