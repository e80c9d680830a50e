/** What stands for the part that was cut out. */
const ELLIPSIS = "…";

/**
 * Cuts a text in its middle so that it fits; a little more of the begin stays than of the end, for both tell
 * long names apart. The text itself when it fits.
 */
export function fitMiddle(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text;
  const cut = (kept: number) => {
    const tail = Math.floor(kept * 0.45);
    return text.slice(0, kept - tail) + ELLIPSIS + text.slice(text.length - tail);
  };
  let low = 1;
  let high = text.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(cut(middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}
