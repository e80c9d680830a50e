import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { MetricSummarySchema, NoticeSchema } from "../../api/conch_pb";
import type { View } from "../../lib/range";
import { emptySeries } from "../../lib/series";
import { useAsked } from "../../window/asked";
import { usePlace } from "../../window/place";
import { useWorkspace } from "../../workspace/workspace";
import type { FeedState } from "../feed";
import { ChartCard } from "./ChartCard";
import type { CardSpec, Facts } from "./cardSpec";
import { latencyCard, machineCard, requestsCard } from "./cards";

vi.mock("./TimeChart", () => ({ TimeChart: () => null }));

const facts: Facts = { summary: undefined, perSecond: 0, cpuPercent: 0, memoryBytes: 0, gpus: [] };
const feed: FeedState = {
  view: { range: "15m" },
  series: emptySeries(),
  events: [],
  from: 0,
  to: 900,
  loading: false,
  error: undefined,
};

test("an empty chart does not say that there were no requests while history is not written", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () => root.render(<ChartCard spec={requestsCard} feed={feed} facts={facts} />));
  expect(page.textContent).toContain("No requests in the last 15 minutes");
  const unwritten = create(NoticeSchema, { text: "the disk is full" });
  await act(async () => useWorkspace.setState({ unwritten }));
  expect(page.textContent).toContain("history is not being written");
  expect(page.textContent).not.toContain("No requests");
  await act(async () => root.unmount());
});

test("a card says of which requests its figures are, and of when", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const summary = create(MetricSummarySchema, { requests: 37_012n, failures: 2n, requestsPerSecond: 41.13 });
  Object.assign(summary, { p50Ms: 0.42, p95Ms: 0.96, p99Ms: 1.7 });
  const known = { ...facts, summary, perSecond: 39.6 };
  await act(async () => root.render(<ChartCard spec={latencyCard} feed={feed} facts={known} />));
  expect(page.textContent).toContain("Latency in the enginelast 15 min");
  expect(page.textContent).toContain("p50 0.42p95 0.96p99 1.70 ms");
  const slow = create(MetricSummarySchema, { requests: 2n, p50Ms: 310, p95Ms: 7980.4, p99Ms: 8464 });
  await act(async () =>
    root.render(<ChartCard spec={latencyCard} feed={feed} facts={{ ...facts, summary: slow }} />),
  );
  expect(page.textContent).toContain("p50 310p95 7,980p99 8,464 ms");
  await act(async () => root.render(<ChartCard spec={latencyCard} feed={feed} facts={known} />));
  expect(page.innerHTML).toContain("Of 37,012 requests in the last 15 minutes.");
  await act(async () => root.render(<ChartCard spec={requestsCard} feed={feed} facts={known} />));
  expect(page.textContent).toContain("now 40 req/smean 412 failures");
  const failures = [...page.querySelectorAll("button")].find(
    ({ textContent }) => textContent === "2 failures",
  );
  await act(async () => failures?.click());
  expect(usePlace.getState()).toMatchObject({ model: "", repositoryTab: "requests" });
  expect(useAsked.getState().whose).toBe("refused");
  await act(async () => root.unmount());
});

test("a card that shows the past tells no figure of now", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const series = { ...emptySeries(), time: [100, 200, 300], memoryBytes: [1 << 20, 24 << 20, 97 << 20] };
  series.cpuPercent = [1, 2, 3];
  const past = {
    ...feed,
    series,
    from: 0,
    to: 250,
    view: { range: "15m", zoom: { from: 0, to: 250 } } as View,
  };
  const now = { ...facts, perSecond: 39.6, cpuPercent: 3, memoryBytes: 97 << 20 };
  await act(async () => root.render(<ChartCard spec={machineCard} feed={past} facts={now} />));
  expect(page.textContent).toContain("24.0 MiB");
  expect(page.textContent).not.toContain("97.0 MiB");
  expect(page.querySelector("h2")?.textContent).not.toContain("now");
  const empty = { ...past, from: 120, to: 180 };
  await act(async () => root.render(<ChartCard spec={machineCard} feed={empty} facts={now} />));
  expect(page.querySelector("h2")?.textContent).not.toContain("now");
  expect(page.textContent).not.toContain("MiB");
  await act(async () => root.render(<ChartCard spec={requestsCard} feed={past} facts={now} />));
  expect(page.textContent).toContain("mean");
  expect(page.textContent).not.toContain("now");
  await act(async () => root.render(<ChartCard spec={machineCard} feed={{ ...feed, series }} facts={now} />));
  expect(page.textContent).toContain("97.0 MiB");
  await act(async () => root.unmount());
});

test("a card whose head has figures does not say below that there is nothing", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const show = (spec: CardSpec, known: Partial<Facts>, view: View = feed.view) =>
    act(async () =>
      root.render(<ChartCard spec={spec} feed={{ ...feed, view }} facts={{ ...facts, ...known }} />),
    );
  const summary = create(MetricSummarySchema, { requests: 1n, p50Ms: 0.42, p95Ms: 0.42, p99Ms: 0.42 });
  await act(async () => useWorkspace.setState({ unwritten: undefined }));
  for (const [spec, known] of [
    [machineCard, { memoryBytes: 40e6 }],
    [requestsCard, { perSecond: 3 }],
    [latencyCard, { summary }],
  ] as const) {
    await show(spec, known);
    expect(page.textContent).toContain("The first points come in a moment");
    await show(spec, {});
    expect(page.textContent).toContain(`${spec.empty} in the last 15 minutes`);
  }
  const then: View = { range: "15m", zoom: { from: 0, to: 60_000 } };
  await show(machineCard, { memoryBytes: 40e6 }, then);
  expect(page.textContent).toContain("Nothing was measured from ");
  await show(requestsCard, { perSecond: 3 }, then);
  expect(page.textContent).toContain("No requests from ");
  await act(async () => root.unmount());
});
