import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { ModelState, ModelSummarySchema } from "../api/conch_pb";
import { ClientConfig } from "./ClientConfig";
import { useWorkspace } from "./workspace";

test("a config that a client brought is told of, and the file's is one click away", async () => {
  const load = vi.spyOn(clients.models, "load").mockResolvedValue(undefined as never);
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const hear = (fromClient: boolean) =>
    act(async () => {
      const model = create(ModelSummarySchema, { name: "add_sub", state: ModelState.READY, fromClient });
      useWorkspace.setState({ models: new Map([["add_sub", model]]) });
    });
  await act(async () => root.render(<ClientConfig model="add_sub">This is not what runs.</ClientConfig>));
  await hear(false);
  expect(document.body.textContent).toBe("");
  await hear(true);
  expect(document.querySelector("[role=status]")?.textContent).toContain("This is not what runs.");
  await act(async () => document.querySelector("button")?.click());
  expect(load).toHaveBeenCalledWith({ name: "add_sub", force: true, server: "" });
  await act(async () => root.unmount());
});
