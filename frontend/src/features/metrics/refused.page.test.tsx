import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { RefusalSchema } from "../../api/conch_pb";
import { emptySeries } from "../../lib/series";
import { useAsked } from "../../window/asked";
import { usePlace } from "../../window/place";
import { MetricsView } from "./MetricsView";

const now = BigInt(Date.now());
const refusal = (model: string, count: bigint) =>
  create(RefusalSchema, { id: count, model, count, first: now, newest: [{ time: now }] });

vi.mock("../../metrics/chart/TimeChart", () => ({ TimeChart: () => null }));
vi.mock("../../metrics/GpuCharts", () => ({ GpuCharts: () => null }));
vi.mock("../../metrics/chart/EventList", () => ({ EventList: () => null }));
vi.mock("../../metrics/useMetrics", () => ({
  useMetrics: () => ({
    view: { range: "15m" },
    series: emptySeries(),
    events: [],
    from: 0,
    to: 900,
    loading: false,
    error: undefined,
  }),
}));
vi.mock("../../metrics/useFacts", () => ({
  useFacts: (model: string) => ({ model, summary: undefined, perSecond: 0, gpus: [] }),
}));
vi.mock("../../requests/useRefusals", () => ({
  useRefusals: () => ({
    known: { groups: [refusal("sums", 20n), refusal("other", 3n)], forgotten: 0 },
    error: undefined,
  }),
}));

test("a model's metrics say how many requests to it were refused before they ran, and lead to these", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () => root.render(<MetricsView model="sums" />));
  const refused = [...page.querySelectorAll("button")].find(
    ({ textContent }) => textContent === "20 refused",
  );
  await act(async () => refused?.click());
  expect(usePlace.getState()).toMatchObject({ model: "", repositoryTab: "requests" });
  expect(useAsked.getState()).toMatchObject({ whose: "refused", requestsOf: "sums" });
  await act(async () => root.unmount());
});
