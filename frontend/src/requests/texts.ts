/** Typed text as the elements of a tensor: JSON, or for BYTES also plain text, which is one element as it stands. */
import type { Element } from "../lib/tensor";
import { complaint, type ParsedValues, parseValues } from "../lib/tensor-json";

export type Reading = "text" | "json";

/** Whether text may be meant as JSON: only then a choice is offered. */
export function looksLikeJson(text: string): boolean {
  return /^\s*["[]/.test(text);
}

/** How a text of BYTES is read when nobody chose: as JSON where it is JSON and holds nothing but strings. */
export function readingOf(text: string, chosen: Reading | undefined): Reading {
  if (chosen) return chosen;
  if (!looksLikeJson(text)) return "text";
  try {
    return complaint("BYTES", parseValues(text).values) === "" ? "json" : "text";
  } catch {
    return "text";
  }
}

/** The elements of a typed text. Throws an Error whose message says what is wrong. */
export function readTyped(datatype: string, text: string, reading: Reading | undefined): ParsedValues {
  if (datatype === "BYTES" && readingOf(text, reading) === "text") return { shape: [], values: [text] };
  const parsed = parseValues(text, datatype);
  const wrong = complaint(datatype, parsed.values);
  if (wrong) throw new Error(wrong);
  return parsed;
}

/** What is sent for a text of BYTES, in a few words. */
export function saidOfText(text: string, chosen: Reading | undefined): string {
  if (readingOf(text, chosen) === "json") return `Read as JSON: ${strings(text)}`;
  const length = new TextEncoder().encode(text).length;
  if (length === 0) return "An empty string is sent";
  return `Read as plain text: one string of ${length} ${length === 1 ? "byte" : "bytes"}`;
}

function strings(text: string): string {
  try {
    const { length }: Element[] = parseValues(text).values;
    return `${length} ${length === 1 ? "string" : "strings"}`;
  } catch {
    return "not complete yet";
  }
}
