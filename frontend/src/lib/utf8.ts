/** Bytes that are text in part. Pure functions. */
import { visible } from "./visible";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** How many bytes the first one of a character announces; 0 for one that begins none. */
function lengthOf(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/** The character at a place; undefined where the bytes are none. */
function characterAt(bytes: Uint8Array, at: number): { text: string; length: number } | undefined {
  const length = lengthOf(bytes[at] as number);
  if (length === 0 || at + length > bytes.length) return undefined;
  try {
    return { text: strict.decode(bytes.subarray(at, at + length)), length };
  } catch {
    return undefined;
  }
}

const escapedByte = (byte: number) => `\\x${byte.toString(16).padStart(2, "0")}`;

/** Bytes as Python writes them, but with all characters of UTF-8 as text: caf\xe9, naïve. It ends soon after `most` characters. */
export function mixedText(bytes: Uint8Array, most: number): string {
  let text = "";
  for (let at = 0; at < bytes.length && text.length <= most; ) {
    const character = characterAt(bytes, at);
    if (character) text += character.text === "\\" ? "\\\\" : visible(character.text);
    else text += escapedByte(bytes[at] as number);
    at += character?.length ?? 1;
  }
  return text;
}
