import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { ModelState, ModelSummarySchema, SummarizeResponseSchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { useWorkspace } from "../../workspace/workspace";
import { ModelsTable } from "./ModelsTable";

afterEach(() => void vi.restoreAllMocks());

test("of 3,000 models only those in view are drawn and asked about, in one question", async () => {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(720);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1000);
  const summarize = vi
    .spyOn(clients.metrics, "summarize")
    .mockResolvedValue(create(SummarizeResponseSchema, { summaries: [] }));
  const models = Array.from({ length: 3000 }, (_, i) =>
    create(ModelSummarySchema, {
      name: `model_${String(i).padStart(4, "0")}`,
      state: ModelState.READY,
      kind: "FasterTransformer",
    }),
  );
  useWorkspace.setState({ models: new Map(models.map((model) => [model.name, model])) });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <ModelsTable view={{ range: "15m" }} />
      </QueryClientProvider>,
    ),
  );

  await vi.waitFor(() => expect(summarize).toHaveBeenCalled());
  const drawn = page.querySelectorAll("button[data-index]").length;
  expect(drawn).toBeGreaterThan(15);
  expect(drawn).toBeLessThan(60);
  expect(page.querySelectorAll("td[title='FasterTransformer']")).toHaveLength(drawn); // it may be cut off
  expect(summarize).toHaveBeenCalledTimes(1);
  expect(summarize.mock.calls[0]?.[0].models).toHaveLength(drawn);
  await act(async () => root.unmount());
});
