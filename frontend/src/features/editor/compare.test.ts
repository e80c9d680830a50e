import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync(new URL("./compare.module.css", import.meta.url), "utf8");

test("the comparison cuts no name and no value: they go on in the next line", () => {
  expect(css).not.toContain("text-overflow");
  expect(css).not.toContain("white-space: nowrap");
  expect(css).toContain("overflow-wrap: anywhere");
});
