/** Lists of values as people type them: brackets may be left out around one row, and mistakes are told with their place. */

const bare = /^[^[\]{}"]+$/; // numbers and words only

/** A row that is typed without brackets, 1 2 3 or 1, 2, 3, as a JSON list. One value stays one value. */
export function bracketed(text: string): string {
  if (!bare.test(text)) return text;
  const words = text.trim().split(/\s*,\s*|\s+/);
  return words.length === 1 ? text : `[${words.join(", ")}]`;
}

const token = /\s*(\[|\]|,|"(?:[^"\\]|\\.)*"|[^\s,[\]"]+)/y;
const word =
  /^(true|false|True|False|null|NaN|nan|-?(Infinity|inf|Inf)|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/;

const anything = "numbers, true or false, or strings in double quotes";

/** What is wrong with a text that is not a list of values, and on which line; "" where this cannot be told. `takes` says what may be typed. */
export function whyNoList(text: string, takes = anything): string {
  if (text.includes("{")) return "";
  let depth = 0;
  let before = ""; // the token before
  token.lastIndex = 0;
  for (;;) {
    const from = token.lastIndex;
    const found = token.exec(text)?.[1];
    if (found === undefined)
      return text.slice(from).trim() ? "A closing quote is missing" : atEnd(depth, before);
    const wrong = misplaced(found, before, depth, takes);
    if (wrong) return `${wrong}${place(text, token.lastIndex - found.length)}`;
    if (found === "[") depth++;
    if (found === "]") depth--;
    before = found;
  }
}

function atEnd(depth: number, before: string): string {
  if (before === ",") return "The list ends after a comma: a value and ] are missing";
  return depth > 0 ? "A closing ] is missing at the end" : "";
}

function misplaced(found: string, before: string, depth: number, takes: string): string {
  const wantsValue = before === "" || before === "[" || before === ",";
  if (found === "]") {
    if (depth === 0) return "There is one ] too many";
    return before === "," ? "A value is missing between the comma and the ]" : "";
  }
  if (found === ",") {
    if (depth === 0) return "Several values need brackets around them, such as [1, 2, 3]";
    return wantsValue ? "A value is missing before the comma" : "";
  }
  if (!wantsValue)
    return depth > 0
      ? `A comma is missing before ${shorten(found)}`
      : "There is text after the values: remove it";
  if (found === "[" || found.startsWith('"') || word.test(found)) return "";
  return `"${shorten(found)}" is not a value: type ${takes}`;
}

/** Where it is, in a text of several lines. */
function place(text: string, at: number): string {
  if (!text.trim().includes("\n")) return "";
  const lines = text.slice(0, at).split("\n");
  return ` (line ${lines.length})`;
}

const shorten = (text: string) => (text.length > 24 ? `${text.slice(0, 24)}…` : text);
