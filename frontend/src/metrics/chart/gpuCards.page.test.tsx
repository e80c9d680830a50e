import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { DeviceMemorySchema, GpuSchema, GpuSeriesSchema, QueryResponseSchema } from "../../api/conch_pb";
import { columnAt, columnNames, gpuColumnNames, toSeries } from "../../lib/series";
import { ChartCard } from "./ChartCard";
import { type CardSpec, chartData, type Facts, fewOf, sumsOf } from "./cardSpec";
import { gpuCards, toldOf } from "./gpuCards";

const GiB = 1024 ** 3;

vi.mock("./TimeChart", () => ({ TimeChart: () => null }));

const gpu = (index: number, values: number[]) =>
  create(GpuSeriesSchema, {
    index,
    uuid: `GPU-${index}`,
    name: "A100",
    ...Object.fromEntries(gpuColumnNames.map((name) => [name, values])),
  });

const feedOf = (...gpus: ReturnType<typeof gpu>[]) => ({
  view: { range: "15m" } as const,
  series: toSeries(
    create(QueryResponseSchema, {
      stepMs: 1000,
      time: [1, 2, 3],
      ...Object.fromEntries(columnNames.map((name) => [name, [0, 0, 0]])),
      gpus,
    }),
  ),
  events: [],
  from: 0,
  to: 3,
  loading: false,
  error: undefined,
});

const facts: Facts = {
  summary: undefined,
  perSecond: 0,
  cpuPercent: 0,
  memoryBytes: 0,
  gpus: [
    create(GpuSchema, {
      index: 0,
      uuid: "GPU-0",
      totalBytes: 40 * GiB,
      usedBytes: 3 * GiB,
      utilization: 0.5,
      powerWatts: -1,
      temperature: 61,
    }),
  ],
};

test("without a GPU there is no chart of one", () => {
  expect(gpuCards(feedOf().series.gpus, { heat: false, energy: false })).toEqual([]);
});

test("each GPU has a line, gaps are gaps, and only a single one has a band", () => {
  const two = feedOf(gpu(0, [1, Number.NaN, 3]), gpu(1, [4, 5, 6]));
  const cards = gpuCards(two.series.gpus, toldOf(two.series));
  expect(cards.map(({ title }) => title)).toEqual([
    "GPU utilization",
    "GPU memory",
    "GPU power",
    "GPU energy",
    "GPU temperature",
  ]);
  const [utilization, memory, power] = cards as [(typeof cards)[0], (typeof cards)[0], (typeof cards)[0]];
  expect(chartData(utilization, two).columns).toEqual([
    [1, null, 3],
    [4, 5, 6],
  ]);
  expect(chartData(utilization, two)).toMatchObject({ least: 100, most: 100 });
  expect(memory.lines.filter(({ dashed }) => dashed)).toHaveLength(2);
  expect(power.lines.filter(({ dashed }) => dashed).map(({ column }) => column)).toEqual([
    { gpu: "GPU-0", column: "powerLimit" },
    { gpu: "GPU-1", column: "powerLimit" },
  ]);
  const one = feedOf(gpu(0, [1, Number.NaN, 3]));
  expect(gpuCards(one.series.gpus, toldOf(one.series))[0]?.lines[0]?.band).toEqual([
    { gpu: "GPU-0", column: "utilizationHigh" },
    { gpu: "GPU-0", column: "utilizationLow" },
  ]);
  expect(columnAt(one.series, { gpu: "GPU-9", column: "usedBytes" })).toEqual([null, null, null]);
});

test("the heads tell what each GPU does now, and what it does not tell", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const feed = feedOf(gpu(0, [1, 2, 3]), gpu(1, [4, 5, 6]));
  const cards = gpuCards(feed.series.gpus, toldOf(feed.series));
  await act(async () =>
    root.render(cards.map((spec) => <ChartCard key={spec.title} spec={spec} feed={feed} facts={facts} />)),
  );
  const [utilization, memory, power, energy, heat] = [...page.querySelectorAll("section")].map(
    ({ textContent }) => textContent,
  );
  expect(utilization).toContain("GPU 0 50 %GPU 1 gone");
  expect(memory).toContain("GPU 0 3.0 GiB of 40.0 GiB");
  expect(power).toContain("GPU 0 –");
  expect(energy).toContain("last 15 minGPU 0 6 JGPU 1 15 J");
  expect(heat).toContain("GPU 0 61 °CGPU 1 gone");
  await act(async () => root.unmount());
});

test("a GPU that is lost or gone is said to be so, unless the driver tells of none", () => {
  const feed = feedOf(gpu(0, [1, 2, 3]), gpu(1, [4, 5, 6]));
  const [card] = gpuCards(feed.series.gpus, toldOf(feed.series)) as [CardSpec];
  const texts = (known: Partial<Facts>) => card.figures({ ...facts, ...known }).map(({ text }) => text);
  expect(texts({})).toEqual(["50 %", "gone"]);
  expect(texts({ gpusLost: [1] })).toEqual(["50 %", "lost"]);
  expect(texts({ gpus: [] })).toEqual(["–", "–"]);
  expect(texts({ gpus: [], gpusLost: [0, 1] })).toEqual(["lost", "lost"]);
});

test("of what is not told there is no chart", () => {
  const nothing = Array(3).fill(Number.NaN);
  const feed = feedOf(
    create(GpuSeriesSchema, { ...gpu(0, [1, 2, 3]), temperature: nothing, energyJoules: nothing }),
  );
  expect(toldOf(feed.series)).toEqual({ heat: false, energy: false });
  const titles = gpuCards(feed.series.gpus, toldOf(feed.series)).map(({ title }) => title);
  expect(titles).toEqual(["GPU utilization", "GPU memory", "GPU power"]);
});

test("energy adds up from the left end of the chart, over gaps", () => {
  const feed = { ...feedOf(gpu(0, [2000, Number.NaN, 300])), from: 2 };
  const card = gpuCards(feed.series.gpus, toldOf(feed.series)).find(({ adds }) => adds) as CardSpec;
  expect(chartData(card, feed).columns).toEqual([[null, null, 300]]);
  expect(chartData(card, { ...feed, from: 0 }).columns).toEqual([[2000, null, 2300]]);
  expect(sumsOf(card, feed)).toEqual([{ label: "GPU 0", color: "--accent", text: "300 J", value: 300 }]);
});

test("of many GPUs the head tells the highest, and of how many", () => {
  const figures = [5, 90, -1, 40, 60, 7].map((value, i) => ({ label: `GPU ${i}`, text: `${value}`, value }));
  expect(fewOf(figures).map(({ label, text }) => `${label} ${text}`)).toEqual([
    "highest of 6",
    "GPU 1 90",
    "GPU 4 60",
    "GPU 3 40",
  ]);
  expect(fewOf(figures.slice(0, 4))).toHaveLength(4);
  const always = [
    { label: "GPU 6", text: "lost", value: -1, always: true },
    { label: "this model on 8 GPUs", text: "1.6 GiB", always: true },
  ];
  expect(fewOf([...figures, ...always]).map(({ label, text }) => `${label} ${text}`)).toEqual([
    "highest of 6",
    "GPU 1 90",
    "GPU 6 lost",
    "this model on 8 GPUs 1.6 GiB",
  ]);
});

test("the memory of GPUs says what the model of the page holds of it", () => {
  const one = feedOf(gpu(0, [1, 2, 3]));
  const card = gpuCards(one.series.gpus, toldOf(one.series)).find(
    ({ title }) => title === "GPU memory",
  ) as CardSpec;
  const own = [
    create(DeviceMemorySchema, { device: "CPU", bytes: 1n << 20n }),
    create(DeviceMemorySchema, { device: "GPU 0", bytes: 3n << 30n }),
  ];
  const texts = (known: Partial<Facts>) =>
    card.figures({ ...facts, ...known }).map(({ label, text }) => `${label} ${text}`);
  expect(texts({ own })).toContain("this model on GPU 0 3.0 GiB");
  expect(texts({})).toHaveLength(texts({ own }).length - 1);
  const many = [0, 1, 2, 3].map((i) => create(DeviceMemorySchema, { device: `GPU ${i}`, bytes: 1n << 30n }));
  expect(texts({ own: many })).toContain("this model on 4 GPUs 4.0 GiB");
});
