import { expect, it } from "vitest";
import {
  badgeAt,
  badgeOf,
  besideMark,
  groupMarks,
  type Mark,
  type MarkGroup,
  tipLines,
  weightiest,
} from "./markGroups";

const mark = (time: number, weight = 1, text = `at ${time}`): Mark => {
  return { time, weight, color: `--${weight}`, text, says: text };
};
/** The lines of a mark's list. The moments are of a year that is past: "1 Jan 1970 00:00". */
const listed = (group: MarkGroup | undefined) =>
  (group ? tipLines(group) : []).map((line) => line.replaceAll(/\d+ \w+ (?:1970|1969) \d\d:\d\d/g, "then"));

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

it("draws no number on another: 10 and 2 side by side are one mark of 12", () => {
  const ten = Array.from({ length: 10 }, (_, i) => mark(100 + i));
  expect(counts([...ten, mark(127), mark(128)])).toEqual([10, 2]);
  const wide = Array.from({ length: 10 }, (_, i) => mark(100 + i * 2.7));
  expect(counts([...wide, mark(127), mark(128)])).toEqual([12]);
  expect(counts([mark(969), mark(970), mark(995.5), mark(996)])).toEqual([2, 2]);
  expect(counts([mark(979), mark(980), mark(995.5), mark(1000)])).toEqual([4]); // the last would be moved off the edge
});

it("shows the worst of a group, and lists the newest", () => {
  const [group] = groupMarks([mark(1), mark(2, 3), mark(3, 2)], (time) => time, 100);
  expect(group && weightiest(group).weight).toBe(3);
  expect(listed(group)).toEqual(["then at 3", "then at 2", "then at 1"]);
  const [crowd] = groupMarks(
    Array.from({ length: 12 }, (_, i) => mark(i)),
    (time) => time,
    100,
  );
  expect(listed(crowd)).toEqual([
    ...[11, 10, 9, 8, 7, 6, 5, 4].map((at) => `then at ${at}`),
    "and 4 more before",
  ]);
});

it("lists what was said again once, with how often and since when", () => {
  const broken = "digits did not load";
  const said = (time: number, text: string, says = text) => ({ ...mark(time, 1, text), says });
  const [saves] = groupMarks(
    [
      said(0, broken),
      said(60, "digits reloaded in 9 ms", "digits reloaded"),
      said(120, broken),
      said(180, "digits reloaded in 14 ms", "digits reloaded"),
      said(240, broken),
      said(300, "pair loaded"),
    ],
    () => 0,
    100,
  );
  expect(listed(saves)).toEqual([
    "then pair loaded",
    `then ${broken} (3 times since then)`,
    "then digits reloaded in 14 ms (2 times since then)",
  ]);
  const first = saves && tipLines(saves)[1];
  expect(first).toMatch(/:04 digits.*since .*:00\)$/);
  const again = Array.from({ length: 9 }, (_, i) => [
    said(i, `model ${i} loaded`),
    said(i, `model ${i} loaded`),
  ]);
  const [many] = groupMarks(again.flat(), () => 0, 100);
  expect(listed(many)).toHaveLength(9);
  expect(listed(many).at(-1)).toBe("and 2 more before");
});

it("keeps the number of a mark at the edge of the plot off the axis's labels", () => {
  const { half } = badgeOf(7);
  const beyond = (x: number) => Math.max(badgeAt(x, 100, half) + half - 100, half - badgeAt(x, 100, half));
  expect(badgeAt(50, 100, half)).toBe(50);
  for (const x of [0, 1, 99, 100]) expect(beyond(x)).toBeLessThanOrEqual(0); // labels begin 6 pixels beside it
});

it("the list of a mark lies beside it, where there is more room", () => {
  const plot = { begin: 0, end: 200 };
  expect(besideMark(20, plot, 12)).toEqual({ from: "left", room: 168 });
  expect(besideMark(180, plot, 12)).toEqual({ from: "right", room: 168 });
});

it("the list of a mark in a narrow plot has the room of the page, and is not as wide as a wide page", () => {
  expect(besideMark(80, { begin: -50, end: 400 }, 12)).toEqual({ from: "left", room: 308 });
  expect(besideMark(80, { begin: -50, end: 1400 }, 12)).toEqual({ from: "left", room: 420 });
});

it("the number of many is in a wider mark", () => {
  expect(badgeOf(4)).toEqual({ text: "4", half: 6.5 });
  expect(badgeOf(288).text).toBe("99+");
  expect(badgeOf(288).half).toBeGreaterThan(badgeOf(12).half);
});
