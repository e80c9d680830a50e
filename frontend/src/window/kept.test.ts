import { expect, test } from "vitest";
import { parseKept } from "./kept";

const spot = { path: "config.pbtxt", line: 3, column: 1, top: { line: 1, offset: 4 } };

test("what was kept is read back, and what has the wrong shape is left out", () => {
  const json = JSON.stringify({
    page: "#/models/digits/metrics",
    scroll: [["models", 120], ["requests", "far"], "odd", null],
    spots: [
      ["digits/config.pbtxt", spot],
      ["digits/other.pbtxt", { ...spot, top: null }],
    ],
    files: [
      ["digits", "1/model.py"],
      ["odd", 7],
    ],
  });
  const kept = parseKept(json);
  expect(kept.page).toBe("#/models/digits/metrics");
  expect([...kept.scroll]).toEqual([["models", 120]]);
  expect([...kept.spots]).toEqual([["digits/config.pbtxt", spot]]);
  expect([...kept.files]).toEqual([["digits", "1/model.py"]]);
});

test.each(["", "null", "[]", "{", '{"page":1,"scroll":{},"spots":null}'])("%s keeps nothing", (json) => {
  const kept = parseKept(json);
  expect([kept.page, kept.scroll.size, kept.spots.size, kept.files.size]).toEqual(["", 0, 0, 0]);
});
