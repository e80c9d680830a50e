import { expect, test } from "vitest";
import { mixedText } from "./utf8";

const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    parts.flatMap((part) => (typeof part === "string" ? [...new TextEncoder().encode(part)] : part)),
  );

test.each([
  ["text around one byte that is none", bytes("caf", [0xe9], " au lait"), "caf\\xe9 au lait"],
  ["characters of several bytes", bytes("naïve € 🐚", [0xff]), "naïve € 🐚\\xff"],
  ["a character that is cut off", bytes("shell ", [0xf0, 0x9f, 0x90]), "shell \\xf0\\x9f\\x90"],
  [
    "a surrogate and a form that is too long",
    bytes([0xed, 0xa0, 0x80, 0xc0, 0x80]),
    "\\xed\\xa0\\x80\\xc0\\x80",
  ],
  ["what is not seen", bytes("a\nb", [0x00, 0xff]), "a\\nb\\x00\\xff"],
  ["a backslash, which begins escapes", bytes("C:\\x", [0xff]), "C:\\\\x\\xff"],
])("bytes that are text in part: %s", (_, given, want) => expect(mixedText(given, 100)).toBe(want));

test("of many bytes only the beginning is read", () => {
  expect(mixedText(new Uint8Array(1_000_000), 8)).toBe("\\x00\\x00\\x00");
});
