import { expect, it } from "vitest";
import { rangeStart, ranges, sameView, shortSpan, spanOf, spanText, viewHead, viewPhrase } from "./range";

it("begins where people expect", () => {
  const now = new Date(2026, 4, 20, 14, 3).getTime();
  expect(now - rangeStart("15m", now)).toBe(900_000);
  expect(rangeStart("yesterday", now)).toBe(new Date(2026, 4, 19).getTime());
  expect(new Set(ranges.map((range) => range.label)).size).toBe(ranges.length);
  expect(viewPhrase({ range: "5m" })).toBe("in the last 5 minutes");
  expect(viewHead({ range: "5m" })).toBe("Last 5 min");
  expect(viewHead({ range: "yesterday" })).toBe("Since yesterday");
});

it("names what was zoomed into", () => {
  const today = new Date();
  const from = new Date(today.getFullYear(), today.getMonth(), today.getDate(), 9, 2, 10).getTime();
  const zoom = { from, to: from + 410_000 };
  expect(viewHead({ range: "1h", zoom })).toBe("09:02:10–09:09:00");
  expect(viewPhrase({ range: "1h", zoom })).toBe("from 09:02:10–09:09:00");
  expect(spanText({ from: zoom.from - 86_400_000 * 400, to: zoom.to })).toMatch(/^\d+ \w+ \d+ 09:02–09:09$/);
  expect(spanText({ from: zoom.from - 86_400_000, to: zoom.to - 86_400_000 })).toMatch(
    /^\d+ \w+( \d{4})? 09:02:10–09:09:00$/,
  );
  expect(spanText({ from: zoom.from - 43_200_000, to: zoom.to })).toMatch(
    /^\d+ \w+( \d{4})? 21:02:10–09:09:00$/,
  );
  expect(spanOf({ range: "1h", zoom }, 0)).toBe(zoom);
  expect(sameView({ range: "1h" }, { range: "1h", zoom })).toBe(false);
  expect(sameView({ range: "1h", zoom: { ...zoom } }, { range: "1h", zoom })).toBe(true);
});

it("names a span in a few letters where there is little room", () => {
  const today = new Date();
  const from = new Date(today.getFullYear(), today.getMonth(), today.getDate(), 9, 2, 10).getTime();
  const day = 86_400_000;
  expect(shortSpan({ from, to: from + 410_000 })).toBe("09:02–09:09");
  expect(shortSpan({ from, to: from + 20_000 })).toBe("09:02:10–09:02:30");
  expect(shortSpan({ from: from - day, to: from })).toMatch(/^\d+ \w+( \d{4})?–today$/);
  expect(shortSpan({ from: from - day, to: from - day + 410_000 })).toMatch(/^\d+ \w+( \d{4})? 09:02–09:09$/);
});
