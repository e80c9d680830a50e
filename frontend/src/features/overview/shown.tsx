/** The table of models as its tests show it. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, type ComponentProps } from "react";
import { createRoot } from "react-dom/client";
import { vi } from "vitest";
import { clients } from "../../api/client";
import { type ModelSummary, SummarizeResponseSchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { useWorkspace } from "../../workspace/workspace";
import { ModelsTable } from "./ModelsTable";

interface Given {
  readonly summaries?: MessageInitShape<typeof SummarizeResponseSchema>["summaries"];
  readonly refused?: ComponentProps<typeof ModelsTable>["refused"];
}

/** Shows it with these models; jsdom lays nothing out, so the table is told how large it is. */
export async function show(models: readonly ModelSummary[], { summaries = [], refused }: Given = {}) {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(720);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1000);
  const summarize = vi
    .spyOn(clients.metrics, "summarize")
    .mockResolvedValue(create(SummarizeResponseSchema, { summaries }));
  useWorkspace.setState({ models: new Map(models.map((model) => [model.name, model])) });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <ModelsTable view={{ range: "15m" }} refused={refused} />
      </QueryClientProvider>,
    ),
  );
  return { page, summarize, end: () => act(async () => root.unmount()) };
}
