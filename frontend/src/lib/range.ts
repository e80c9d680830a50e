/** The spans of time that charts can show. */

export type RangeId = "5m" | "15m" | "1h" | "24h" | "yesterday" | "30d";

export type Range = { readonly id: RangeId; readonly label: string; readonly title: string };

export const ranges: readonly Range[] = [
  { id: "5m", label: "5 min", title: "The last 5 minutes" },
  { id: "15m", label: "15 min", title: "The last 15 minutes" },
  { id: "1h", label: "1 h", title: "The last hour" },
  { id: "24h", label: "24 h", title: "The last 24 hours" },
  { id: "yesterday", label: "Since yesterday", title: "From midnight of yesterday until now" },
  { id: "30d", label: "30 d", title: "The last 30 days" },
];

const minute = 60_000;
const lengths: Record<Exclude<RangeId, "yesterday">, number> = {
  "5m": 5 * minute,
  "15m": 15 * minute,
  "1h": 60 * minute,
  "24h": 24 * 60 * minute,
  "30d": 30 * 24 * 60 * minute,
};

/** Where a range begins, in Unix milliseconds. */
export function rangeStart(id: RangeId, now: number): number {
  if (id !== "yesterday") return now - lengths[id];
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - 1); // by the calendar: a day is not always 24 hours long
  return day.getTime();
}

/** The range as the head of a column: "Last 15 min". */
export function rangeHead(id: RangeId): string {
  const { label } = ranges.find((range) => range.id === id) as Range;
  return id === "yesterday" ? label : `Last ${label}`;
}

/** The range as the middle of a sentence: "in the last 15 minutes". */
export function rangePhrase(id: RangeId): string {
  if (id === "yesterday") return "since yesterday";
  return `in ${(ranges.find((range) => range.id === id)?.title ?? "").toLowerCase()}`;
}
