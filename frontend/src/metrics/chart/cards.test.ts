import { expect, test } from "vitest";
import { partWords } from "../../lib/requestTime";
import { stagesCard } from "./cards";

test("the stages have the words of a request's time", () => {
  const words = stagesCard.lines.map(({ label }) => label);
  expect(words).toEqual(["output", "inference", "input", "queue"]);
  expect(words).toEqual([partWords.output, partWords.infer, partWords.input, partWords.queue]);
});
