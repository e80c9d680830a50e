import { expect, it } from "vitest";
import { groupMarks, type Mark, tipText, weightiest } from "./markGroups";

const mark = (time: number, weight = 1): Mark => ({ time, weight, color: `--${weight}`, text: `at ${time}` });
const counts = (marks: Mark[], scale = 1) =>
  groupMarks(marks, (time) => time * scale, 1000).map((group) => group.marks.length);

it("joins marks that would touch, and keeps others apart", () => {
  expect(counts([mark(10), mark(12), mark(300), mark(310), mark(320)])).toEqual([2, 3]);
  expect(counts([mark(10), mark(12), mark(300), mark(310), mark(320)], 3)).toEqual([2, 1, 1, 1]);
  expect(counts([mark(-5), mark(1001)])).toEqual([]);
});

it("does not make a ladder of many marks in a row", () => {
  const many = Array.from({ length: 200 }, (_, i) => mark(i * 5));
  const groups = groupMarks(many, (time) => time, 1000);
  expect(groups.length).toBeLessThan(40);
  const places = groups.map(({ x }) => x);
  expect(Math.min(...places.slice(1).map((x, i) => x - (places[i] as number)))).toBeGreaterThanOrEqual(13);
  expect(groups.reduce((sum, { marks }) => sum + marks.length, 0)).toBe(200);
});

it("shows the worst of a group, and lists the newest", () => {
  const [group] = groupMarks([mark(1), mark(2, 3), mark(3, 2)], (time) => time, 100);
  expect(group && weightiest(group).weight).toBe(3);
  expect(group && tipText(group)).toBe("at 3\nat 2\nat 1");
  const [crowd] = groupMarks(
    Array.from({ length: 12 }, (_, i) => mark(i)),
    (time) => time,
    100,
  );
  expect(crowd && tipText(crowd).split("\n")).toEqual([
    ...[11, 10, 9, 8, 7, 6, 5, 4].map((at) => `at ${at}`),
    "and 4 more before",
  ]);
});
