/** Places in programs that a text names, as Python and Triton write them. Pure functions. */

export interface CodePlace {
  /** As it is written in the text. */
  readonly text: string;
  /** As Python names it, mostly an absolute path. */
  readonly file: string;
  readonly line: number;
}

/** `File "/m/1/model.py", line 12` of Python, `/m/1/model.py(12)` of Triton, `/m/1/model.py:12` of others. */
const PLACE = /File "([^"\n]+)", line (\d+)|(\/[^\n"'<>|]*?\.py)(?:\((\d+)\)|:(\d+))/g;

/** The text in parts: plain ones, and places between them. */
export function withPlaces(text: string): (string | CodePlace)[] {
  const parts: (string | CodePlace)[] = [];
  let at = 0;
  for (const found of text.matchAll(PLACE)) {
    const [whole, file = found[3] ?? "", line = found[4] ?? found[5]] = found;
    if (found.index > at) parts.push(text.slice(at, found.index));
    parts.push({ text: whole, file, line: Number(line) });
    at = found.index + whole.length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}
