import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  type DiagnosticSchema,
  GetGraphResponseSchema,
  GraphNode_Kind,
  ListProblemsResponseSchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { usePlace } from "../../window/place";
import * as repairs from "../../workspace/repair";
import { GraphView } from "./GraphView";

/** The graph of an ensemble without steps, of which this is said. */
async function shown(diagnostics: MessageInitShape<typeof DiagnosticSchema>[]) {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  queryClient.clear();
  vi.spyOn(clients.workspace, "listProblems").mockResolvedValue(
    create(ListProblemsResponseSchema, {
      files: [{ model: "pair", path: "config.pbtxt", diagnostics }],
    } as MessageInitShape<typeof ListProblemsResponseSchema>),
  );
  vi.spyOn(clients.models, "getGraph").mockResolvedValue(
    create(GetGraphResponseSchema, {
      nodes: [
        { id: "input:INPUT", kind: GraphNode_Kind.INPUT, label: "INPUT" },
        { id: "output:OUTPUT", kind: GraphNode_Kind.OUTPUT, label: "OUTPUT" },
      ],
    }),
  );
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <GraphView model="pair" />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(page.textContent).toContain("No steps yet"));
  const button = (text: string) =>
    [...page.querySelectorAll("button")].find(({ textContent }) => textContent === text);
  return { page, root, button };
}

test("an ensemble without steps shows how a first one is written, and leads to its config", async () => {
  const { page, root, button } = await shown([]);
  expect(page.querySelector("pre")?.textContent).toContain("output_map {");
  expect(button("Write a first step")).toBeUndefined();
  await act(async () => button("Open the config")?.click());
  expect(usePlace.getState()).toMatchObject({ model: "pair", modelTab: "config" });
  await act(async () => root.unmount());
});

test("a button asks for the fix that begins the first step", async () => {
  const fix = { title: "write a first step", edits: [{ from: 0, to: 0, insert: "step [ ]" }] };
  const found = { code: "E5", message: "the ensemble has no step", fixes: [fix] };
  const repair = vi.spyOn(repairs, "repair").mockResolvedValue(() => {});
  const { root, button } = await shown([{ code: "E12", message: "another" }, found]);
  await vi.waitFor(() => expect(button("Write a first step")).toBeDefined());
  await act(async () => button("Write a first step")?.click());
  expect(repair.mock.lastCall).toMatchObject([{ model: "pair", path: "config.pbtxt" }, found, fix]);
  await act(async () => root.unmount());
});
