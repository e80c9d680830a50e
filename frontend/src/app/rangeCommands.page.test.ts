import { expect, test } from "vitest";
import { setRange, useRange, zoomTo } from "../metrics/range";
import { generalCommands } from "./commands";

const run = (label: string) => generalCommands.find((command) => command.label === label)?.run();

test("ranges and the way out of a zoom are in the palette", () => {
  setRange("5m");
  run("Charts: the last 24 hours");
  expect(useRange.getState().view.range).toBe("24h");
  zoomTo({ from: 1000, to: 61_000 });
  run("Charts: zoom out");
  expect(useRange.getState().view.zoom).toBeUndefined();
});
