import { expect, it } from "vitest";
import { failureTitle, tookText } from "./failed";

it("is told how long a request took, and of none that was sent that it was not", () => {
  expect(tookText({ tookMs: 3, stopped: false })).toBe("3.00 ms");
  expect(tookText({ tookMs: 0, stopped: false })).toBe("not sent");
  expect(tookText({ tookMs: 0, stopped: true })).toBe("lost");
});

it("does not say of a stream that was cut off that no answer came", () => {
  const lost = { unanswered: true, errorCode: "" };
  expect(failureTitle({ ...lost, answers: 0n })).toBe("No answer came");
  expect(failureTitle({ ...lost, answers: 1005n })).toBe("Cut off after 1,005 answers");
});
