/** The spans of time that charts can show. */
import { clock, otherDay } from "./format";

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

/** A span of time in Unix milliseconds. */
export type Span = { readonly from: number; readonly to: number };

/** What charts show: a range that ends now, or a span in it that was zoomed into. */
export type View = { readonly range: RangeId; readonly zoom?: Span | undefined };

export const spanOf = ({ range, zoom }: View, now: number): Span =>
  zoom ?? { from: rangeStart(range, now), to: now };

/** Whether two views show the same. */
export const sameView = (a: View, b: View): boolean => viewKey(a) === viewKey(b);

export const viewKey = ({ range, zoom }: View): string => (zoom ? `${zoom.from}–${zoom.to}` : range);

/** The view as the head of a column: "Last 15 min", "14:02:10–14:09:00". */
export function viewHead({ range: id, zoom }: View): string {
  if (zoom) return spanText(zoom);
  const { label } = ranges.find((range) => range.id === id) as Range;
  return id === "yesterday" ? label : `Last ${label}`;
}

/** The view as the end of a sentence: "in the last 15 minutes". */
export function viewPhrase({ range: id, zoom }: View): string {
  if (zoom) return `from ${spanText(zoom)}`;
  if (id === "yesterday") return "since yesterday";
  return `in ${(ranges.find((range) => range.id === id)?.title ?? "").toLowerCase()}`;
}

/** "14:02:10–14:09:00"; with the date where it is not today's. Both ends have seconds, but of more than a day neither has. */
export function spanText({ from, to }: Span): string {
  const [begin, end] = [otherDay(from), otherDay(to)];
  const length = to - from > lengths["24h"] ? "14:02".length : "14:02:10".length;
  const text = (day: string, at: number) => `${day} ${clock(at).slice(0, length)}`.trim();
  return `${text(begin, from)}–${text(begin === end ? "" : end, to)}`;
}

/** The span where there is little room: "14:02–14:09", "28 Nov–today"; with seconds only within a minute. */
export function shortSpan({ from, to }: Span): string {
  const [begin, end] = [otherDay(from), otherDay(to)];
  if (begin !== end) return `${begin}–${end || "today"}`;
  const minutes = [from, to].map((at) => clock(at).slice(0, "14:02".length));
  const ends =
    minutes[0] === minutes[1] ? [from, to].map((at) => clock(at).slice(0, "14:02:10".length)) : minutes;
  return `${begin} ${ends.join("–")}`.trim();
}
