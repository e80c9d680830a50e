/**
 * What moves text, or hides in it, rather than being seen: control characters, line ends, marks of direction, letters and spaces
 * without width. The second half of the pattern is what belongs to a letter or sign before it, and shows in its form: joiners of
 * scripts that join, the kinds of an emoji, flags.
 */
const UNSEEN =
  /([\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800])|\u{1f3f4}[\u{e0020}-\u{e007e}]+\u{e007f}|[\p{Emoji}\p{S}\p{Lo}][\ufe00-\ufe0f\u{e0100}-\u{e01ef}]\u200d?|[\p{Lo}\p{Mn}\p{Mc}\p{Extended_Pictographic}\p{Emoji_Modifier}][\u200c\u200d]/gu;

/** A text with another spelling of what is not seen. */
const spelt = (text: string, spell: (char: string) => string): string =>
  text.replace(UNSEEN, (found: string, unseen?: string) => (unseen === undefined ? found : spell(unseen)));

const short: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** As JSON has it: one beyond four digits is two. */
const inJson = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => char.charCodeAt(i))
    .map((code) => `\\u${code.toString(16).padStart(4, "0")}`)
    .join("");

/** As it is written in a string: \n, \x07, \u202e. */
function escaped(char: string): string {
  const code = char.charCodeAt(0).toString(16);
  return short[char] ?? (code.length > 2 ? inJson(char) : `\\x${code.padStart(2, "0")}`);
}

/** A name on one line, in the order in which it is written, whatever characters it has. */
export const visible = (name: string): string => spelt(name, escaped);

/** The same of a whole name, of which spaces at its ends would move it or be missed. */
export const visibleName = (name: string): string =>
  visible(name).replace(/^ +| +$/g, (spaces) => "␣".repeat(spaces.length));

/** The same of a sentence, whose lines stay. */
export const visibleText = (text: string): string =>
  spelt(text, (char) => (char === "\n" || char === "\t" ? char : escaped(char)));

/** A string as JSON has it, which can be read again: what moves text, or hides in it, is spelt out. */
export const quoted = (text: string): string => spelt(JSON.stringify(text), inJson);
