/** Columns of a time series as the charts want them, and how newer answers are joined to what is there. */

export const columnNames = [
  "requestsPerSecond",
  "failuresPerSecond",
  "p50Ms",
  "p95Ms",
  "p99Ms",
  "queueMs",
  "inputMs",
  "inferMs",
  "outputMs",
  "cpuPercent",
  "memoryBytes",
  "rateLow",
  "rateHigh",
  "cpuLow",
  "cpuHigh",
  "memoryLow",
  "memoryHigh",
  "slowestMs",
] as const;

export type ColumnName = (typeof columnNames)[number];

/** Those of a GPU. */
export const gpuColumnNames = [
  "utilizationPercent",
  "utilizationLow",
  "utilizationHigh",
  "usedBytes",
  "usedLow",
  "usedHigh",
  "totalBytes",
  "powerWatts",
  "powerLow",
  "powerHigh",
  "powerLimit",
  "energyJoules",
  "temperature",
  "temperatureLow",
  "temperatureHigh",
] as const;

export type GpuColumnName = (typeof gpuColumnNames)[number];

export type GpuName = { readonly index: number; readonly uuid: string; readonly name: string };

type GpuColumns = Readonly<Record<GpuColumnName, Column>>;

type GpuAnswer = GpuName & Readonly<Record<GpuColumnName, readonly number[]>>;

export type Column = readonly (number | null)[];

/** One array for each column, all as long as `time` (Unix seconds, rising). null: nothing was measured. */
export type Series = {
  readonly stepMs: number;
  readonly time: readonly number[];
  readonly gpus: readonly GpuName[]; // the same object as long as they are the same
  readonly ofGpus: ReadonlyMap<string, GpuColumns>; // by UUID
} & Readonly<Record<ColumnName, Column>>;

/** What the service answers with; NaN stands where nothing was measured. */
export type Answer = {
  readonly stepMs: number;
  readonly time: readonly number[];
  readonly gpus: readonly GpuAnswer[];
} & Readonly<Record<ColumnName, readonly number[]>>;

export function emptySeries(): Series {
  const columns = Object.fromEntries(columnNames.map((name) => [name, []]));
  return { stepMs: 0, time: [], gpus: [], ofGpus: new Map(), ...columns } as unknown as Series;
}

/** The place of a column: one of the series, or one of a GPU. */
export type ColumnPlace = ColumnName | { readonly gpu: string; readonly column: GpuColumnName };

export function columnAt(series: Series, place: ColumnPlace): Column {
  if (typeof place === "string") return series[place];
  return series.ofGpus.get(place.gpu)?.[place.column] ?? nothing(series.time.length);
}

const each = (of: (name: ColumnName) => Column) =>
  Object.fromEntries(columnNames.map((name) => [name, of(name)])) as Record<ColumnName, Column>;

const eachOfGpu = (of: (name: GpuColumnName) => Column) =>
  Object.fromEntries(gpuColumnNames.map((name) => [name, of(name)])) as GpuColumns;

const nothing = (length: number): Column => Array.from({ length }, () => null);

/** The GPUs of two answers, by their numbers; the older list where it has them all. */
function bothGpus(older: readonly GpuName[], newer: readonly GpuName[]): readonly GpuName[] {
  const byId = new Map([...older, ...newer].map((gpu) => [gpu.uuid, gpu]));
  const both = [...byId.values()].sort((a, b) => a.index - b.index || (a.uuid < b.uuid ? -1 : 1));
  const same = both.length === older.length && newer.every((gpu) => older.some((one) => isSame(one, gpu)));
  return same ? older : both;
}

const isSame = (a: GpuName, b: GpuName) => a.uuid === b.uuid && a.index === b.index && a.name === b.name;

export function toSeries(answer: Answer): Series {
  return {
    stepMs: answer.stepMs,
    time: answer.time,
    gpus: answer.gpus.map(({ index, uuid, name }) => ({ index, uuid, name })),
    ofGpus: new Map(answer.gpus.map((gpu) => [gpu.uuid, eachOfGpu((name) => gpu[name].map(finite))])),
    ...each((name) => answer[name].map(finite)),
  };
}

/** Joins a newer answer to a series: what it covers is replaced, what is older than `from` is let go. */
export function append(series: Series, answer: Answer, from: number): Series {
  const newer = toSeries(answer);
  const begin = newer.time[0] ?? Number.POSITIVE_INFINITY;
  const low = lowerBound(series.time, from);
  const high = lowerBound(series.time, begin);
  const joined = (place: ColumnPlace) => [
    ...columnAt(series, place).slice(low, high),
    ...columnAt(newer, place),
  ];
  const both = bothGpus(series.gpus, newer.gpus);
  const ofGpus = new Map(
    both.map(({ uuid }) => [uuid, eachOfGpu((column) => joined({ gpu: uuid, column }))]),
  );
  const gpus = both.filter(({ uuid }) => toldSomething(ofGpus.get(uuid)));
  return {
    stepMs: newer.stepMs,
    time: [...series.time.slice(low, high), ...newer.time],
    gpus: gpus.length === both.length ? both : gpus,
    ofGpus,
    ...each(joined),
  };
}

/** Whether a GPU told something in the time of the columns: one that is gone is let go with its last point. */
const toldSomething = (columns: GpuColumns | undefined): boolean =>
  columns !== undefined && gpuColumnNames.some((name) => columns[name].some((value) => value !== null));

/** The newest value of a column, or undefined while there is none. */
export function newest(column: Column): number | undefined {
  return column.findLast((value) => value !== null) ?? undefined;
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** First index whose time is at or after `at`. */
export function lowerBound(time: readonly number[], at: number): number {
  let low = 0;
  let high = time.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((time[middle] as number) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
