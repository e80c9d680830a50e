import { expect, it } from "vitest";
import { tookText } from "./failed";

it("is told how long a request took, and of none that was sent that it was not", () => {
  expect(tookText({ tookMs: 3, stopped: false })).toBe("3.00 ms");
  expect(tookText({ tookMs: 0, stopped: false })).toBe("not sent");
  expect(tookText({ tookMs: 0, stopped: true })).toBe("lost");
});
