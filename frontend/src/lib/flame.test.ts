import { expect, it } from "vitest";
import { type FlameNode, layoutFlame, stepFlame, totalOf } from "./flame";

const node = (name: string, parent: number, total: number): FlameNode => ({
  name,
  parent,
  total,
  calls: 1,
  file: "",
  line: 0,
});
const nodes = [
  node("execute", -1, 80),
  node("short", 0, 20),
  node("long", 0, 40),
  node("leaf", 2, 40),
  node("after", -1, 20),
];
const shown = (zoomed: number, least = 0) =>
  layoutFlame(nodes, zoomed, least).map(
    ({ node, depth, left, width }) => `${nodes[node]?.name} ${depth} ${left} ${width}`,
  );

it("lays calls out under their callers, the longest first, as wide as they took", () => {
  expect(totalOf(nodes)).toBe(100);
  expect(shown(-1)).toEqual([
    "execute 0 0 0.8",
    "long 1 0 0.4",
    "leaf 2 0 0.4",
    "short 1 0.4 0.2",
    "after 0 0.8 0.2",
  ]);
  expect(shown(-1, 0.3)).toEqual(["execute 0 0 0.8", "long 1 0 0.4", "leaf 2 0 0.4"]);
});

it("gives a call that is looked at the whole width, with its callers above it", () => {
  expect(shown(2)).toEqual(["execute 0 0 1", "long 1 0 1", "leaf 2 0 1"]);
});

it("goes from call to call with the arrows", () => {
  expect(stepFlame(nodes, 0, "ArrowDown")).toBe(2);
  expect(stepFlame(nodes, 2, "ArrowRight")).toBe(1);
  expect(stepFlame(nodes, 1, "ArrowLeft")).toBe(2);
  expect(stepFlame(nodes, 3, "ArrowUp")).toBe(2);
  expect(stepFlame(nodes, 0, "ArrowRight")).toBe(4);
  expect(stepFlame(nodes, 4, "ArrowDown")).toBe(4);
});
