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
