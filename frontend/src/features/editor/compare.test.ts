import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

// A browser lays it out, jsdom does not: a button inside a cell is cut by its own box, and not by the cell's ellipsis.
test("a field's button in the comparison ends in an ellipsis where it is cut", () => {
  const sheet = readFileSync(new URL("./compare.module.css", import.meta.url), "utf8");
  const button = /\.table th button \{([^}]*)\}/.exec(sheet)?.[1];
  for (const rule of [
    "max-width: 100%",
    "overflow: hidden",
    "text-overflow: ellipsis",
    "white-space: nowrap",
  ])
    expect(button).toContain(rule);
});
