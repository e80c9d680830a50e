import type { SearchQuery } from "@codemirror/search";
import type { EditorState } from "@codemirror/state";

/** More matches than this are not counted: nobody steps through them, and each key would pay for it. */
export const MOST = 10_000;

export interface Matches {
  /** How many there are, at most MOST. */
  total: number;
  /** Which of them is selected, from 1; 0 means none. */
  at: number;
}

/** Counts what a query finds, and which of it is selected. */
export function countMatches(state: EditorState, query: SearchQuery): Matches {
  const { from, to } = state.selection.main;
  let [total, at] = [0, 0];
  if (!query.valid) return { total, at };
  const cursor = query.getCursor(state);
  for (let next = cursor.next(); !next.done && total < MOST; next = cursor.next()) {
    total++;
    if (next.value.from === from && next.value.to === to) at = total;
  }
  return { total, at };
}

/** The first match from a place on; behind the last one it is the first of all. */
export function firstMatch(state: EditorState, query: SearchQuery, from: number) {
  if (!query.valid) return undefined;
  const after = query.getCursor(state, from).next();
  const found = after.done ? query.getCursor(state).next() : after;
  return found.done ? undefined : { from: found.value.from, to: found.value.to };
}

/** The count as it is read: "3 of 17". */
export function inWords({ total, at }: Matches): string {
  if (total === 0) return "Not found";
  const all = total < MOST ? String(total) : `${MOST} or more`;
  return at === 0 ? `${all} found` : `${at} of ${all}`;
}

/** Why a text is no regular expression; undefined when it is one. The browser's own reason is the end of its sentence. */
export function whyBad(text: string): string | undefined {
  try {
    new RegExp(text, "u");
    return undefined;
  } catch (error) {
    const reason = String((error as Error).message).replace(/^Invalid regular expression:\s*/, "");
    return reason.startsWith("/") ? reason.slice(reason.lastIndexOf(": ") + 2) : reason;
  }
}
