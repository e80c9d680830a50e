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
] as const;

export type ColumnName = (typeof columnNames)[number];

/** One array for each column, all as long as `time` (Unix seconds, rising). null: nothing was measured. */
export type Series = { readonly stepMs: number; readonly time: number[] } & Readonly<
  Record<ColumnName, (number | null)[]>
>;

/** What the service answers with; NaN stands where nothing was measured. */
export type Answer = { readonly stepMs: number; readonly time: number[] } & Readonly<
  Record<ColumnName, number[]>
>;

export function emptySeries(): Series {
  const columns = Object.fromEntries(columnNames.map((name) => [name, []]));
  return { stepMs: 0, time: [], ...columns } as unknown as Series;
}

/** An answer as a series. A hole in time longer than two steps becomes a break in every line. */
export function toSeries(answer: Answer): Series {
  const series = emptySeries();
  const gap = (answer.stepMs / 1000) * 2.5;
  for (const [i, time] of answer.time.entries()) {
    const last = series.time[series.time.length - 1];
    if (last !== undefined && gap > 0 && time - last > gap)
      push(series, last + answer.stepMs / 1000, () => null);
    push(series, time, (name) => finite(answer[name][i]));
  }
  return { ...series, stepMs: answer.stepMs };
}

/** Joins a newer answer to a series: what it covers is replaced, what is older than `from` is let go. */
export function append(series: Series, answer: Answer, from: number): Series {
  const newer = toSeries(answer);
  const begin = newer.time[0] ?? Number.POSITIVE_INFINITY;
  const low = lowerBound(series.time, from);
  const high = lowerBound(series.time, begin);
  const joined = emptySeries();
  for (let i = low; i < high; i++) push(joined, series.time[i] as number, (name) => series[name][i] ?? null);
  const last = joined.time[joined.time.length - 1];
  if (last !== undefined && begin - last > (series.stepMs / 1000) * 2.5 && Number.isFinite(begin)) {
    push(joined, last + series.stepMs / 1000, () => null);
  }
  for (const [i, time] of newer.time.entries()) push(joined, time, (name) => newer[name][i] ?? null);
  return { ...joined, stepMs: series.stepMs || newer.stepMs };
}

/** When anything was measured first, in Unix seconds; undefined when nothing was. */
export function firstMeasured({ time, requestsPerSecond, memoryBytes }: Series): number | undefined {
  return time.find((_, i) => requestsPerSecond[i] !== null || memoryBytes[i] !== null);
}

/** The newest value of a column, or undefined while there is none. */
export function newest(column: readonly (number | null)[]): number | undefined {
  for (let i = column.length - 1; i >= 0; i--) {
    const value = column[i];
    if (value !== null && value !== undefined) return value;
  }
  return undefined;
}

function push(series: Series, time: number, value: (name: ColumnName) => number | null): void {
  series.time.push(time);
  for (const name of columnNames) series[name].push(value(name));
}

function finite(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : value;
}

/** First index whose time is at or after `at`. */
function lowerBound(time: readonly number[], at: number): number {
  let low = 0;
  let high = time.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((time[middle] as number) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
