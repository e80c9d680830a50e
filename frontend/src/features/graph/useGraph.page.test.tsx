import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  DraftsSchema,
  GetGraphResponseSchema,
  ModelSummarySchema,
  ReadFileResponseSchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { useWorkspace } from "../../workspace/workspace";
import { useGraph } from "./useGraph";

function Labels() {
  const { data, unsaved } = useGraph("pipeline");
  return `${data?.nodes.map(({ label }) => label).join() ?? ""}${unsaved ? " unsaved" : ""}`;
}

afterEach(() => expect(console.error).not.toHaveBeenCalled()); // such as updates that no act waits for

test("the graph follows the text as it is typed", async () => {
  vi.spyOn(console, "error");
  let typed = "";
  vi.spyOn(clients.editor, "readFile").mockImplementation(async () =>
    create(ReadFileResponseSchema, { text: "disk", draft: { text: typed } }),
  );
  vi.spyOn(clients.models, "getGraph").mockImplementation(async ({ text }) =>
    create(GetGraphResponseSchema, { nodes: [{ id: "a", label: text ?? "disk" }] }),
  );
  const model = create(ModelSummarySchema, { name: "pipeline" });
  useWorkspace.setState({ models: new Map([["pipeline", model]]) });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const shows = (text: string) => vi.waitFor(() => expect(page.textContent).toBe(text));
  const type = (text: string, version: bigint) =>
    act(async () => {
      typed = text;
      const list = [{ model: "pipeline", path: "config.pbtxt", version }];
      useWorkspace.setState({ drafts: create(DraftsSchema, { list }) });
    });
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <Labels />
      </QueryClientProvider>,
    ),
  );
  await shows("disk");
  await type("first", 1n);
  await shows("first unsaved");
  await type("second", 2n);
  await shows("second unsaved");
  await act(async () => useWorkspace.setState({ drafts: create(DraftsSchema, {}) }));
  await shows("disk");
  await act(async () => root.unmount());
});
