import { expect, test } from "vitest";
import { visible } from "./visible";

test("a name stays on one line, and what cannot be seen is spelt out", () => {
  expect(visible("line\nbreak\t\u007f\u0007")).toBe("line\\nbreak\\t\\x7f\\x07");
  expect(visible("a\u202ecba\u2028")).toBe("a\\u202ecba\\u2028");
  expect(visible("模型 größe_1")).toBe("模型 größe_1");
});
