import type { Diagnostic } from "../api/conch_pb";

/** A row of a list of problems: the first of those that say the same of one error elsewhere, and where it is so too. */
export interface Grouped<T> {
  readonly row: T;
  readonly also: readonly T[];
}

/**
 * What follows from one error in another file is one row, however many steps it stops: the list has a row for each thing to
 * mend. The text in the editor is marked at each of the places.
 */
export function grouped<T>(rows: readonly T[], found: (row: T) => Diagnostic): readonly Grouped<T>[] {
  const all: { row: T; also: T[] }[] = [];
  const firsts = new Map<string, T[]>();
  for (const row of rows) {
    const { follows, code, message } = found(row);
    const cause = `${code} ${message}`;
    const first = follows ? firsts.get(cause) : undefined;
    if (first) {
      first.push(row);
      continue;
    }
    const also: T[] = [];
    if (follows) firsts.set(cause, also);
    all.push({ row, also });
  }
  return all;
}
