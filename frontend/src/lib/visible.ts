/** What moves text, or hides it, rather than being seen: control characters, line ends, marks of direction. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

const short: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** As it is written in a string: \n, \x07, \u202e. */
function escaped(char: string): string {
  const code = char.charCodeAt(0).toString(16);
  return short[char] ?? (code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`);
}

/** A name on one line, in the order in which it is written, whatever characters it has. */
export const visible = (name: string): string => name.replace(UNSEEN, escaped);

/** The same of a whole name, of which spaces at its ends would move it or be missed. */
export const visibleName = (name: string): string =>
  visible(name).replace(/^ +| +$/g, (spaces) => "␣".repeat(spaces.length));

/** The same of a sentence, whose lines stay. */
export const visibleText = (text: string): string =>
  text.replace(UNSEEN, (char) => (char === "\n" || char === "\t" ? char : escaped(char)));

/** A string as JSON has it, which can be read again: what moves text, or hides it, is spelt out. */
export const quoted = (text: string): string =>
  JSON.stringify(text).replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
