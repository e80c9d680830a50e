/** Log lines for people. A line comes as a message with `key=value` behind it. Pure functions. */
import { nanoseconds } from "../../lib/format";

export type Words = { readonly message: string; readonly facts: readonly string[] };

/** The engine writes nanoseconds. */
function duration(value: string): string {
  return Number.isFinite(Number(value)) ? nanoseconds(Number(value)) : value;
}

/** How the facts that people read most are said; the others stay as they are. */
const say: Record<string, (value: string) => string> = {
  took: duration,
  waited_for_others: (value) => `waited ${duration(value)} for others`,
  version: (value) => `version ${value}`,
  still_serving: (value) => (value === "true" ? "what was loaded before keeps serving" : ""),
  note: (value) => value,
};

/** A reason belongs to the sentence before it. */
const sentenceKeys = new Set(["reason", "error"]);

type Fact = { readonly key: string; readonly value: string };

/** Values hold blanks: one ends where the next `key=` begins. */
function factsOf(text: string): { message: string; facts: Fact[] } {
  const [message = "", ...rest] = text.split(/\s(?=[a-z_]+=)/);
  const facts = rest.map((part) => {
    const at = part.indexOf("=");
    return { key: part.slice(0, at), value: part.slice(at + 1) };
  });
  return { message, facts };
}

/** A model may be called so that its name looks like a fact. */
export function wordsOf(text: string, model = ""): Words {
  if (!model.includes("=")) return worded(text);
  const { message, facts } = worded(text.replaceAll(model, NAME));
  const named = (part: string) => part.replaceAll(NAME, model);
  return { message: named(message), facts: facts.map(named) };
}

const NAME = "\u0000"; // in no line

function worded(text: string): Words {
  const { message, facts } = factsOf(text);
  const reasons = facts.filter(({ key }) => sentenceKeys.has(key)).map(({ value }) => value);
  const others = facts.filter(({ key }) => !sentenceKeys.has(key));
  return {
    message: [message, ...reasons].filter(Boolean).join(": "),
    facts: others.map(({ key, value }) => say[key]?.(value) ?? `${key}=${value}`).filter(Boolean),
  };
}

/** A line as text for the clipboard. */
export function plain(text: string, model = ""): string {
  const { message, facts } = wordsOf(text, model);
  return [message, ...facts].join(" · ");
}
