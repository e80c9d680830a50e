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

export type Column = readonly (number | null)[];

/** One array for each column, all as long as `time` (Unix seconds, rising). null: nothing was measured. */
export type Series = { readonly stepMs: number; readonly time: readonly number[] } & Readonly<
  Record<ColumnName, Column>
>;

/** What the service answers with; NaN stands where nothing was measured. */
export type Answer = { readonly stepMs: number; readonly time: readonly number[] } & Readonly<
  Record<ColumnName, readonly number[]>
>;

export function emptySeries(): Series {
  const columns = Object.fromEntries(columnNames.map((name) => [name, []]));
  return { stepMs: 0, time: [], ...columns } as unknown as Series;
}

const each = (of: (name: ColumnName) => Column) =>
  Object.fromEntries(columnNames.map((name) => [name, of(name)])) as Record<ColumnName, Column>;

export function toSeries(answer: Answer): Series {
  return { stepMs: answer.stepMs, time: answer.time, ...each((name) => answer[name].map(finite)) };
}

/** Joins a newer answer to a series: what it covers is replaced, what is older than `from` is let go. */
export function append(series: Series, answer: Answer, from: number): Series {
  const newer = toSeries(answer);
  const begin = newer.time[0] ?? Number.POSITIVE_INFINITY;
  const low = lowerBound(series.time, from);
  const high = lowerBound(series.time, begin);
  return {
    stepMs: newer.stepMs,
    time: [...series.time.slice(low, high), ...newer.time],
    ...each((name) => [...series[name].slice(low, high), ...newer[name]]),
  };
}

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
