import { SearchQuery } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { countMatches, firstMatch, inWords, MOST, whyBad } from "./matches";

const state = (doc: string, anchor = 0, head = anchor) =>
  EditorState.create({ doc, selection: { anchor, head } });

test("matches are counted, and the selected one is known by its place", () => {
  const query = new SearchQuery({ search: "dims" });
  const doc = "dims dims\nDims";
  expect(countMatches(state(doc, 5, 9), query)).toEqual({ total: 3, at: 2 });
  expect(countMatches(state(doc, 5, 8), query)).toEqual({ total: 3, at: 0 });
  expect(countMatches(state(doc), new SearchQuery({ search: "dims", caseSensitive: true })).total).toBe(2);
  expect(countMatches(state(doc), new SearchQuery({ search: "(", regexp: true }))).toEqual({
    total: 0,
    at: 0,
  });
});

test("a search begins at a place and goes round", () => {
  const query = new SearchQuery({ search: "dims" });
  const doc = state("dims dims");
  expect([0, 1, 6].map((from) => firstMatch(doc, query, from)?.from)).toEqual([0, 5, 0]);
  expect(firstMatch(doc, new SearchQuery({ search: "none" }), 0)).toBeUndefined();
  expect(firstMatch(doc, new SearchQuery({ search: "(", regexp: true }), 0)).toBeUndefined();
});

test("counting ends somewhere", () => {
  expect(countMatches(state("x".repeat(MOST + 5)), new SearchQuery({ search: "x" })).total).toBe(MOST);
});

test("the count is read as people say it", () => {
  expect(inWords({ total: 17, at: 3 })).toBe("3 of 17");
  expect(inWords({ total: 17, at: 0 })).toBe("17 found");
  expect(inWords({ total: 0, at: 0 })).toBe("Not found");
  expect(inWords({ total: MOST, at: 3 })).toBe(`3 of ${MOST} or more`);
});

test("a bad expression is told with its reason alone", () => {
  expect(whyBad("a(b")).toBe("Unterminated group");
  expect(whyBad("a: (b")).toBe("Unterminated group");
  expect(whyBad("a(b)")).toBeUndefined();
});
