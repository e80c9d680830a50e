import { expect, test } from "vitest";
import { quoted, visible, visibleName, visibleText } from "./visible";

test("a name stays on one line, and what cannot be seen is spelt out", () => {
  expect(visible("line\nbreak\t\u007f\u0007")).toBe("line\\nbreak\\t\\x7f\\x07");
  expect(visible("a\u202ecba\u2028")).toBe("a\\u202ecba\\u2028");
  expect(visible("模型 größe_1")).toBe("模型 größe_1");
});

test("a name shows the spaces at its ends, and a sentence keeps its lines", () => {
  expect(visibleName("  a  b ")).toBe("␣␣a  b␣");
  expect(visibleText("Make a\u202etxt/1:\n  yes")).toBe("Make a\\u202etxt/1:\n  yes");
});

test("a string in quotes can be read again, and nothing in it moves what is around it", () => {
  const text = 'say "\u202eevil"\n\u007f\u2067';
  expect(quoted(text)).toBe('"say \\"\\u202eevil\\"\\n\\u007f\\u2067"');
  expect(JSON.parse(quoted(text))).toBe(text);
});

test("letters and spaces without width are spelt out, and read again as they were", () => {
  const row = "\u200b".repeat(3);
  expect(quoted(row)).toBe('"\\u200b\\u200b\\u200b"');
  const all = "a\u00ad\u034f\u2060\u3164\u2800\u{e0041}\ufeff\u200d\ufe0f";
  expect(quoted(all)).toBe('"a\\u00ad\\u034f\\u2060\\u3164\\u2800\\udb40\\udc41\\ufeff\\u200d\\ufe0f"');
  expect(JSON.parse(quoted(all))).toBe(all);
  expect(visible(`model${row}`)).toBe("model\\u200b\\u200b\\u200b");
  expect(visibleText("one\u200d two\n")).toBe("one\\u200d two\n");
});

test.each([
  ["Persian", "می\u200cخواهم"],
  ["Hindi", "क्\u200dष"],
  ["a family", "👨\u200d👩\u200d👧"],
  ["a heart on fire", "❤\ufe0f\u200d🔥"],
  ["a dark hand", "🤝🏿\u200d❤"],
  ["the flag of England", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"],
  ["a form of a Chinese sign", "葛\u{e0100}"],
])("%s stays as it is", (_, text) => expect([visible(text), quoted(text)]).toEqual([text, `"${text}"`]));
