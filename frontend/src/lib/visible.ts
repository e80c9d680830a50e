/** What moves text, or hides it, rather than being seen: control characters, line ends, marks of direction. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A symbol for each of the first 32, and for delete: "␊" is a line end. */
function symbol(char: string): string {
  const code = char.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

/** A name on one line, in the order in which it is written, whatever characters it has. */
export const visible = (name: string): string => name.replace(UNSEEN, symbol);
