import { describe, expect, it } from "vitest";
import { readingOf, readTyped, saidOfText } from "./texts";

describe("text of BYTES", () => {
  it.each([
    ["hello", ["hello"]],
    ["two\nlines", ["two\nlines"]],
    ["", [""]],
    ['{"prompt": "x"}', ['{"prompt": "x"}']],
    ["[not a list", ["[not a list"]],
    ["[1, 2]", ["[1, 2]"]], // a list, but not of strings
    ['["a", "b"]', ["a", "b"]],
    ['"hello"', ["hello"]],
  ])("%s", (text, values) => expect(readTyped("BYTES", text, undefined).values).toEqual(values));

  it("is read the way that was chosen", () => {
    expect(readTyped("BYTES", '["a", "b"]', "text").values).toEqual(['["a", "b"]']);
    expect(() => readTyped("BYTES", '["a"', "json")).toThrow("A closing ] is missing");
    expect(readingOf("hello", undefined)).toBe("text");
  });

  it("says what is sent", () => {
    expect(saidOfText("é", undefined)).toBe("Read as plain text: one string of 2 bytes");
    expect(saidOfText('["a", "b"]', undefined)).toBe("Read as JSON: 2 strings");
    expect(saidOfText('["a"', "json")).toBe("Read as JSON: not complete yet");
    expect(saidOfText("", undefined)).toBe("An empty string is sent");
  });
});

it("reads numbers as JSON", () => {
  expect(readTyped("INT32", "[[1], [2]]", undefined)).toEqual({ shape: [2, 1], values: [1, 2] });
  expect(() => readTyped("FP16", "70000", undefined)).toThrow("FP16 ends at 65504");
});
