import { expect, test } from "vitest";
import { visible } from "./visible";

test("a name stays on one line, and what cannot be seen gets a sign", () => {
  expect(visible("line\nbreak\t\u007f")).toBe("line␊break␉␡");
  expect(visible("a\u202ecba\u2028")).toBe("a\ufffdcba\ufffd");
  expect(visible("模型 größe_1")).toBe("模型 größe_1");
});
