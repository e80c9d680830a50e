/** Events on a chart: those that are close together are one mark. Pure functions. */

export type Mark = {
  readonly time: number; // Unix seconds
  readonly weight: number; // of several, the color of the weightiest shows
  readonly color: string;
  readonly text: string;
};

export type MarkGroup = { readonly x: number; readonly marks: readonly Mark[] };

const apart = 26; // pixels between marks that are told apart
const listed = 8; // of one mark's events; more would cover the chart

/** Joins marks that would touch, from left to right. Those outside of the plot are left out. */
export function groupMarks(
  marks: readonly Mark[],
  position: (time: number) => number,
  width: number,
): MarkGroup[] {
  const groups: { begin: number; x: number; marks: Mark[] }[] = [];
  for (const mark of [...marks].sort((a, b) => a.time - b.time)) {
    const x = position(mark.time);
    const last = groups.at(-1);
    if (x < 0 || x > width) continue;
    if (!last || x - last.begin >= apart) groups.push({ begin: x, x, marks: [mark] });
    else {
      last.marks.push(mark);
      last.x = (last.begin + x) / 2;
    }
  }
  return groups;
}

export const weightiest = ({ marks }: MarkGroup): Mark =>
  marks.reduce((most, mark) => (mark.weight > most.weight ? mark : most));

/** What a mark's list says: the newest first, at most a few. */
export function tipText({ marks }: MarkGroup): string {
  const shown = marks.slice(-listed).reverse();
  const rest = marks.length - shown.length;
  const lines = shown.map(({ text }) => text);
  return (rest > 0 ? [...lines, `and ${rest} more before`] : lines).join("\n");
}
