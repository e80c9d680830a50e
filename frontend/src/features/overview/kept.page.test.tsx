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

test("a model that was unloaded or removed keeps what it did in the range", async () => {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(720);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1000);
  const did = (model: string, requests: bigint) => ({
    model,
    requests,
    p50Ms: 1.2,
    p99Ms: 3400,
    requestsPerSecond: 1,
  });
  const summaries = [did("taken_out", 41n), did("left_before", 0n), did("resting", 17n), did("idle", 0n)];
  const summarize = vi
    .spyOn(clients.metrics, "summarize")
    .mockResolvedValue(create(SummarizeResponseSchema, { summaries }));
  const models = ["resting", "idle"].map((name) =>
    create(ModelSummarySchema, { name, state: ModelState.UNLOADED }),
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
  const row = (name: string) => {
    const rows = [...page.querySelectorAll("tbody tr")];
    const found = rows.find((tr) => tr.querySelector("button")?.textContent?.includes(name));
    return [...(found?.querySelectorAll("td") ?? [])].slice(-5).map(({ textContent }) => textContent);
  };
  await vi.waitFor(() => expect(row("taken_out")).toEqual(["41", "1.20 ms", "3.40 s", "0", "Removed"]));
  expect(row("resting")).toEqual(["17", "1.20 ms", "3.40 s", "0", "Unloaded"]);
  expect(row("idle")).not.toContain("Unloaded");
  expect(row("left_before")).toEqual([]);
  expect(summarize.mock.calls[0]?.[0]).toMatchObject({ models: ["idle", "resting"], removed: true });
  await act(async () => root.unmount());
});
