/** Commands of models that are not on the screen: they are found by words of the action and of the name. */
import type { ModelSummary } from "../api/conch_pb";
import type { Command } from "./command";
import { commandsOf, type ModelAction, modelActions } from "./modelCommands";
import { rank } from "./paletteSearch";

/** The commands that are offered, and how many others there are. */
export interface OtherCommands {
  offered: readonly Command[];
  more: number;
}

/** How many commands of other models are offered; typing more narrows them down. */
const most = 8;

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s:…]+/)
    .filter((word) => word !== "");

/** What can be done with models, beside the words of its label and those by which it is found too. */
const actions = modelActions.map((action) => ({
  action,
  label: wordsOf(action.label("", "")),
  words: wordsOf(action.words ?? ""),
}));

const begins = (words: readonly string[], typed: string): boolean =>
  words.some((word) => word.startsWith(typed));

/** Some actions that are asked for by the same words, and the rest of what was typed, which is to name the models. */
interface Asked {
  rest: readonly string[];
  /** Lower is better: the whole label was typed, words of it, other words. */
  rank: number;
  /** Some letters of an action say little: it is offered for a model that is named in full. */
  sure: boolean;
  actions: ModelAction[];
}

/** The best first. */
function askedFor(typed: readonly string[]): Asked[] {
  const groups = new Map<string, Asked>();
  for (const { action, label, words } of actions) {
    const rest = typed.filter((word) => !begins(label, word) && !begins(words, word));
    const said = typed.filter((word) => !rest.includes(word));
    const inLabel = said.every((word) => begins(label, word));
    const rank = !inLabel ? 2 : said.length < label.length ? 1 : 0;
    const sure = said.some((word) => word.length > 2);
    const key = [...rest, rank, sure].join(" ");
    const group = groups.get(key) ?? { rest, rank, sure, actions: [] };
    group.actions.push(action);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => a.rest.length - b.rest.length || a.rank - b.rank);
}

const isNumber = (word: string): boolean => /^\d+$/.test(word);

/** The models that are named: in full, or where the action is sure by all of these words, the best first. */
function namedBy({ rest, sure, actions }: Asked, models: readonly ModelSummary[]): readonly ModelSummary[] {
  const whole = rest.join(" ");
  if (!sure) return models.filter(({ name }) => name.toLowerCase() === whole);
  const words = actions.some(({ parts }) => parts) ? rest.filter((word) => !isNumber(word)) : rest;
  const [first] = words;
  if (first === undefined) return models;
  const found = models.filter(({ name }) => {
    const lower = name.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
  return found.sort((a, b) => (rank(a.name, first) ?? 0) - (rank(b.name, first) ?? 0));
}

/**
 * Commands of the models that are not on the screen, for those who type a word of an action, with words of the name or
 * without. A whole name alone has the first of them too; a part of a name asks for the page, and has none.
 */
export function otherCommands(models: Iterable<ModelSummary>, here: string, text: string): OtherCommands {
  const found: Command[] = [];
  const typed = wordsOf(text);
  if (!typed.some((word) => word.length > 2)) return { offered: found, more: 0 };
  const others = [...models].filter(({ name }) => name !== here);
  for (const asked of askedFor(typed))
    for (const model of namedBy(asked, others))
      for (const action of asked.actions)
        for (const command of commandsOf(action, model)) {
          const label = command.label.toLowerCase();
          if (asked.rest.every((word) => label.includes(word))) found.push(command);
        }
  return { offered: found.slice(0, most), more: Math.max(0, found.length - most) };
}
