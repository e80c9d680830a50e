import type { ModelSummary } from "../api/conch_pb";
import type { Command } from "./command";

/** How many models the palette lists; typing more narrows them down. */
const SHOWN = 50;

/** The rank of a name that has no more than the letters, in order. */
const LETTERS = 4;

/** Lower is better: how a name answers what was typed. Undefined when it does not. */
export function rank(name: string, text: string): number | undefined {
  const lower = name.toLowerCase();
  if (text === "" || lower === text) return 0;
  if (lower.startsWith(text)) return 1;
  const at = lower.indexOf(text);
  if (at > 0) return /[^a-z0-9]/.test(lower[at - 1] ?? "") ? 2 : 3;
  return inOrder(lower, text) ? LETTERS : undefined;
}

/** Every letter of the text, in order, as in "rdg" for read_digit. */
function inOrder(name: string, text: string): boolean {
  let at = -1;
  for (const letter of text) {
    at = name.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** The models that answer best, best first, names of equal rank by alphabet. */
export function bestMatches(models: Iterable<ModelSummary>, text: string): ModelSummary[] {
  const ranked = [...models].flatMap((model) => {
    const value = rank(model.name, text);
    return value === undefined ? [] : [{ model, value }];
  });
  ranked.sort((a, b) => a.value - b.value || a.model.name.localeCompare(b.model.name));
  return ranked.slice(0, SHOWN).map(({ model }) => model);
}

/** Reports whether none of the models says what was typed: its letters alone are in their names. */
export const guessed = ([best]: readonly ModelSummary[], text: string): boolean =>
  best !== undefined && rank(best.name, text) === LETTERS;

/** Reports whether a command answers: every typed word is in its label or among its other words. */
export function fits(command: Command, text: string): boolean {
  const hay = `${command.label} ${command.words ?? ""}`.toLowerCase();
  return text.split(/\s+/).every((word) => hay.includes(word));
}
