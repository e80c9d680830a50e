import { expect, test } from "vitest";
import { fitMiddle } from "./fitMiddle";

const monospace = (text: string) => text.length;

test("what fits stays", () => expect(fitMiddle("digits", 6, monospace)).toBe("digits"));
test("the middle goes", () => expect(fitMiddle("customer_ranking_0040", 11, monospace)).toBe("custom…0040"));
test("something always stays", () => expect(fitMiddle("digits", 0, monospace)).toBe("d…"));
test("never wider than there is room", () => {
  for (let width = 2; width < 30; width++) {
    expect(fitMiddle("wav2vec2_large_xlsr_53_german", width, monospace).length).toBeLessThanOrEqual(width);
  }
});
