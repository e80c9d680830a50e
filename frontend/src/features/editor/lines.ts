import type { ChangeSpec, EditorState, Text } from "@codemirror/state";

export type LineBreak = "\n" | "\r\n";

/**
 * The separator that gives every byte back: CRLF only when each line ends so. In a mixed file a stray
 * carriage return stays in the text as a character that can be seen.
 */
export function lineBreakOf(text: string): LineBreak {
  const all = text.match(/\r\n|\r|\n/g);
  return all?.every((found) => found === "\r\n") ? "\r\n" : "\n";
}

/** How much of a text's offsets the editor does not count: it takes every line break for one character. */
const extra = (lineBreak: LineBreak) => lineBreak.length - 1;

/** From a place in the editor to the API's offset into the text. */
export function toText(doc: Text, pos: number, lineBreak: LineBreak): number {
  return extra(lineBreak) === 0 ? pos : pos + doc.lineAt(pos).number - 1;
}

/** From the API's offset into the text to a place in the editor; never outside of it. */
export function toDoc(doc: Text, offset: number, lineBreak: LineBreak): number {
  const clamp = (pos: number) => Math.max(0, Math.min(doc.length, pos));
  if (extra(lineBreak) === 0) return clamp(offset);
  let low = 1;
  let high = doc.lines;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (doc.line(middle).from + middle - 1 <= offset) low = middle;
    else high = middle - 1;
  }
  return clamp(Math.min(offset - (low - 1), doc.line(low).to));
}

/** The one change that turns the old text into the new: what they share at both ends stays. */
export function smallestChange(before: string, after: string): { from: number; to: number; insert: string } {
  let start = 0;
  const most = Math.min(before.length, after.length);
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}

/** The change from one text to another. The cursor and marks in equal lines stay where they were. */
export function changeTo(state: EditorState, next: string, lineBreak: LineBreak): ChangeSpec {
  const plain = (value: string) => (lineBreak === "\r\n" ? value.replaceAll("\r\n", "\n") : value);
  const change = smallestChange(plain(state.sliceDoc()), plain(next));
  // The text is given by lines, because a string would be split at other breaks than the file's own.
  return { ...change, insert: state.toText(change.insert.replaceAll("\n", lineBreak)) };
}
