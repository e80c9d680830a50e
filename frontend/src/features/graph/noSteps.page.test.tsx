import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { GetGraphResponseSchema, GraphNode_Kind } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { usePlace } from "../../window/place";
import { GraphView } from "./GraphView";

test("an ensemble without steps shows how a first one is written, and leads to its config", async () => {
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
  expect(page.querySelector("pre")?.textContent).toContain("output_map {");
  await act(async () => page.querySelector("button")?.click());
  expect(usePlace.getState()).toMatchObject({ model: "pair", modelTab: "config" });
  await act(async () => root.unmount());
});
