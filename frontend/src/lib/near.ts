/** Counts the letters to insert, drop or replace, and the pairs of letters to turn round, from one word to another. */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const change = at(row, j) + (a[i] === b[j] ? 0 : 1);
      const turned =
        i > 0 && a[i] === b[j - 1] && a[i - 1] === b[j] ? at(before, j - 1) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(change, at(next, j) + 1, at(row, j + 1) + 1, turned));
    }
    [before, row] = [row, next];
  }
  return at(row, b.length);
}

const at = (list: readonly number[], index: number): number => list[index] ?? Number.POSITIVE_INFINITY;

/** Longer words are not looked at. */
const LONGEST = 128;

/** The word that a misspelt one means; undefined where none is near. Capitals and the signs between words count little. */
export function nearest(word: string, words: Iterable<string>): string | undefined {
  const bare = (text: string) => text.toLowerCase().replaceAll(/[-_.]/g, "");
  if (word.length > LONGEST) return undefined;
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 4)) + 1;
  for (const other of words) {
    if (other.length > LONGEST) continue;
    const apart = distance(bare(word), bare(other));
    if (apart < least) [best, least] = [other, apart];
  }
  return best;
}
