/** Events on a chart: those that are close together are one mark. Pure functions. */
import { count, moment } from "../../lib/format";

export type Mark = {
  readonly time: number; // Unix seconds
  readonly weight: number; // of several, the color of the weightiest shows
  readonly color: string;
  readonly text: string;
  readonly says: string; // the same for all that say it again
};

export type MarkGroup = { readonly x: number; readonly marks: readonly Mark[] };

const apart = 26; // pixels between marks that are told apart
const between = 2; // pixels that stay free between what is drawn of two groups
const listed = 8; // sentences of one mark; more would cover the chart

/** Joins marks that would touch, from left to right. Those outside of the plot are left out. */
export function groupMarks(
  marks: readonly Mark[],
  position: (time: number) => number,
  width: number,
): MarkGroup[] {
  const groups: Span[] = [];
  for (const mark of [...marks].sort((a, b) => a.time - b.time)) {
    const x = position(mark.time);
    const last = groups.at(-1);
    if (x < 0 || x > width) continue;
    if (!last || x - last.begin >= apart) groups.push({ begin: x, end: x, marks: [mark] });
    else {
      last.marks.push(mark);
      last.end = x;
    }
  }
  return joinTouching(groups, width).map((span) => ({ x: middleOf(span), marks: span.marks }));
}

type Span = { readonly begin: number; end: number; readonly marks: Mark[] };

const middleOf = ({ begin, end }: Span): number => (begin + end) / 2;

/** Two groups that begin apart may still be drawn on each other: a number is wide, and is in the middle of its group. */
function joinTouching(groups: readonly Span[], width: number): Span[] {
  const joined: Span[] = [];
  for (let span of groups) {
    for (let last = joined.at(-1); last && touch(last, span, width); last = joined.at(-1)) {
      joined.pop();
      span = { begin: last.begin, end: span.end, marks: [...last.marks, ...span.marks] };
    }
    joined.push(span);
  }
  return joined;
}

function touch(left: Span, right: Span, width: number): boolean {
  const [a, b] = [left, right].map((span) => {
    const half = span.marks.length > 1 ? badgeOf(span.marks.length).half : dotRadius;
    return { x: span.marks.length > 1 ? badgeAt(middleOf(span), width, half) : middleOf(span), half };
  }) as [Drawn, Drawn];
  return b.x - b.half < a.x + a.half + between;
}

type Drawn = { readonly x: number; readonly half: number };

export const weightiest = ({ marks }: MarkGroup): Mark =>
  marks.reduce((most, mark) => (mark.weight > most.weight ? mark : most));

/** What a mark's list says: the newest first, at most a few. What was said again is one line with its number. */
export function tipLines({ marks }: MarkGroup): readonly string[] {
  const told = new Map<string, Mark[]>();
  for (const mark of [...marks].reverse()) {
    const same = told.get(mark.says);
    if (same) same.push(mark);
    else told.set(mark.says, [mark]);
  }
  const all = [...told.values()];
  const rest = all.slice(listed).flat().length;
  const lines = all.slice(0, listed).map(lineOf);
  return rest > 0 ? [...lines, `and ${rest} more before`] : lines;
}

/** What was said, with the time of the newest, and of the first where it was said again. */
function lineOf(same: readonly Mark[]): string {
  const [newest, first] = [same[0] as Mark, same.at(-1) as Mark];
  const line = `${moment(newest.time * 1000)} ${newest.text}`;
  return same.length === 1
    ? line
    : `${line} (${count(same.length, "time")} since ${moment(first.time * 1000)})`;
}

/** Of a mark alone, in pixels. */
export const dotRadius = 3;

/** Half of the height of a mark with a number, in pixels. */
export const badgeRadius = 6.5;

/** The number of a mark, and half of the width that it takes: one of several figures is longer than it is high. */
export function badgeOf(count: number): { readonly text: string; readonly half: number } {
  const text = count > 99 ? "99+" : String(count);
  return { text, half: Math.max(badgeRadius, text.length * figureHalf + 3) };
}

const figureHalf = 2.9; // of a figure's width at the size of these numbers

/** Where the middle of a mark with a number is: it stays in the plot's width, so that it does not touch the labels of an axis. */
export const badgeAt = (x: number, width: number, half: number): number =>
  Math.max(half, Math.min(x, width - half));

/** Wide enough for most sentences in two lines. */
const widestList = 420;

/** A length on the scale of the plot, from its left end. */
export type Reach = { readonly begin: number; readonly end: number };

/**
 * The side of a mark with more room for its list, and how wide the list may be: it hides neither the mark nor its moment. It has
 * the room of the page, since a plot is too narrow for sentences.
 */
export function besideMark(
  x: number,
  { begin, end }: Reach,
  gap: number,
): { readonly from: "left" | "right"; readonly room: number } {
  const [left, right] = [x - begin, end - x];
  return { from: right >= left ? "left" : "right", room: Math.min(Math.max(left, right) - gap, widestList) };
}
