import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { DeviceMemorySchema, EngineSchema, MetricSummarySchema, NoticeSchema } from "../../api/conch_pb";
import type { View } from "../../lib/range";
import { emptySeries } from "../../lib/series";
import { useAsked } from "../../window/asked";
import { usePlace } from "../../window/place";
import { useWorkspace } from "../../workspace/workspace";
import type { FeedState } from "../feed";
import { ChartCard } from "./ChartCard";
import type { CardSpec, Facts } from "./cardSpec";
import { latencyCard, machineCard, machineCardOfModel, requestsCard } from "./cards";

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

/** Somebody counted, and there were no requests. */
const watched = { ...feed, series: { ...emptySeries(), time: [60], requestsPerSecond: [0] } };

test("an empty chart does not say that there were no requests while history is not written", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () => root.render(<ChartCard spec={latencyCard} feed={watched} facts={facts} />));
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
  expect(page.textContent).toContain("p50 420 µsp95 960 µsp99 1.70 ms");
  const slow = create(MetricSummarySchema, { requests: 2n, p50Ms: 0.31, p95Ms: 7980.4, p99Ms: 8464 });
  await act(async () =>
    root.render(<ChartCard spec={latencyCard} feed={feed} facts={{ ...facts, summary: slow }} />),
  );
  expect(page.textContent).toContain("p50 310 µsp95 7.98 sp99 8.46 s");
  await act(async () => root.render(<ChartCard spec={latencyCard} feed={feed} facts={known} />));
  expect(page.innerHTML).toContain("Of 37,012 requests in the last 15 minutes.");
  await act(async () =>
    root.render(<ChartCard spec={requestsCard} feed={feed} facts={{ ...known, model: "digits" }} />),
  );
  expect(page.textContent).toContain("now 40 req/smean 412 failures");
  const failures = [...page.querySelectorAll("button")].find(
    ({ textContent }) => textContent === "2 failures",
  );
  await act(async () => failures?.click());
  expect(usePlace.getState()).toMatchObject({ model: "", repositoryTab: "requests" });
  expect(useAsked.getState()).toMatchObject({ whose: undefined, requestsOf: "digits", failed: true });
  await act(async () => {
    useAsked.setState({ whose: "sent" });
    root.render(<ChartCard spec={requestsCard} feed={feed} facts={{ ...known, refused: "12 refused" }} />);
  });
  const refused = [...page.querySelectorAll("button")].find(
    ({ textContent }) => textContent === "12 refused",
  );
  await act(async () => refused?.click());
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
      root.render(<ChartCard spec={spec} feed={{ ...watched, view }} facts={{ ...facts, ...known }} />),
    );
  const summary = create(MetricSummarySchema, { requests: 1n, p50Ms: 0.42, p95Ms: 0.42, p99Ms: 0.42 });
  await act(async () => useWorkspace.setState({ unwritten: undefined }));
  for (const [spec, known] of [
    [machineCard, { memoryBytes: 40e6 }],
    [latencyCard, { summary }],
  ] as const) {
    await show(spec, known);
    expect(page.textContent).toContain("The first points come in a moment");
    await show(spec, {});
    expect(page.textContent).toContain(`${spec.empty} in the last 15 minutes`);
  }
  const then: View = { range: "15m", zoom: { from: 0, to: 900_000 } };
  await show(machineCard, { memoryBytes: 40e6 }, then);
  expect(page.textContent).toContain("Nothing was measured from ");
  await show(latencyCard, { summary }, then);
  expect(page.textContent).toContain("No requests from ");
  await act(async () => root.unmount());
});

test("a time in which nobody counted is not one without requests", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const show = (spec: CardSpec, view: View) =>
    act(async () =>
      root.render(<ChartCard spec={spec} feed={{ ...watched, view, from: 100 }} facts={facts} />),
    );
  await show(latencyCard, { range: "15m" });
  expect(page.textContent).toContain("Nothing was measured in the last 15 minutes");
  const then: View = { range: "15m", zoom: { from: 100_000, to: 900_000 } };
  for (const spec of [latencyCard, machineCard]) {
    await show(spec, then);
    expect(page.textContent).toContain("Conch did not run this repository then");
  }
  const remote = create(EngineSchema, { remote: { name: "prod" } });
  await act(async () => useWorkspace.setState({ engine: remote }));
  expect(page.textContent).toContain("Conch did not watch prod then");
  await act(async () => useWorkspace.setState({ engine: undefined }));
  await act(async () => root.unmount());
});

test("the page of a model says that memory is the engine's, and what of it is the model's", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const own = [
    create(DeviceMemorySchema, { device: "CPU", bytes: 12n << 20n }),
    create(DeviceMemorySchema, { device: "GPU 0", bytes: 3n << 30n }),
  ];
  const known = { ...facts, cpuPercent: 0.2, memoryBytes: 97 << 20, own };
  const show = (spec: CardSpec, view: View) =>
    act(async () => root.render(<ChartCard spec={spec} feed={{ ...watched, view }} facts={known} />));
  await show(machineCardOfModel(false), { range: "15m" });
  expect(page.textContent).toContain("CPU and memory of the engine");
  expect(page.textContent).toContain("CPU 0.2 %memory 97.0 MiBthis model 12.0 MiBon GPU 0 3.0 GiB");
  await show(machineCardOfModel(false), { range: "15m", zoom: { from: 0, to: 900_000 } });
  expect(page.textContent).not.toContain("this model");
  await show(machineCardOfModel(true), { range: "15m" });
  expect(page.textContent).toContain("CPU and memory of the machine");
  await act(async () => root.unmount());
});

test("the head tells each time in the unit that fits it, also beside one slow request", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const series = { ...emptySeries(), time: [100, 200], p50Ms: [3, 4], p95Ms: [5, 6], p99Ms: [7, 21_335] };
  const summary = create(MetricSummarySchema, { requests: 9n, p50Ms: 4, p95Ms: 900, p99Ms: 21_335 });
  const shown = { ...feed, series: { ...series, slowestMs: [7, 21_335] } };
  await act(async () =>
    root.render(<ChartCard spec={latencyCard} feed={shown} facts={{ ...facts, summary }} />),
  );
  expect(page.textContent).toContain("p50 4.00 msp95 900 msp99 21.3 s");
  await act(async () => root.unmount());
});
