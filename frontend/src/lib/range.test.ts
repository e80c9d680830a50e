import { expect, it } from "vitest";
import { rangeHead, rangePhrase, rangeStart, ranges } from "./range";

it("begins where people expect", () => {
  const now = new Date(2026, 4, 20, 14, 3).getTime();
  expect(now - rangeStart("15m", now)).toBe(900_000);
  expect(rangeStart("yesterday", now)).toBe(new Date(2026, 4, 19).getTime());
  expect(new Set(ranges.map((range) => range.label)).size).toBe(ranges.length);
  expect(rangePhrase("5m")).toBe("in the last 5 minutes");
  expect(rangeHead("5m")).toBe("Last 5 min");
  expect(rangeHead("yesterday")).toBe("Since yesterday");
});
