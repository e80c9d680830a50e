/** How many models are in each state, in words that add up to all of them. */
import { ModelState } from "../api/conch_pb";
import type { Tone } from "../ui/Chip";

export type Tally = { readonly text: string; readonly tone: Tone; readonly count: number };

type Group = { readonly state: ModelState; readonly word: string; readonly tone: Tone };

/** A model on an earlier load is not counted as ready: what was saved last does not serve. */
const groups: readonly Group[] = [
  { state: ModelState.READY, word: "ready", tone: "ok" },
  { state: ModelState.OLDER_SERVES, word: "on an earlier load", tone: "warn" },
  { state: ModelState.LOADING, word: "loading", tone: "accent" },
  { state: ModelState.UNLOADING, word: "unloading", tone: "accent" },
  { state: ModelState.WAITING, word: "waiting", tone: "neutral" },
  { state: ModelState.FAILED, word: "failed", tone: "err" },
  { state: ModelState.DIED, word: "died", tone: "err" },
  { state: ModelState.UNTRUSTED, word: "waiting for trust", tone: "warn" },
  { state: ModelState.UNLOADED, word: "not loaded", tone: "neutral" },
  { state: ModelState.NOT_RUNNABLE, word: "cannot run here", tone: "neutral" },
  { state: ModelState.UNSPECIFIED, word: "unknown", tone: "neutral" },
];

export function tally(states: Iterable<ModelState>): Tally[] {
  const counts = new Map<ModelState, number>();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  return groups
    .map(({ state, word, tone }) => {
      const count = counts.get(state) ?? 0;
      return { text: `${count} ${word}`, tone, count };
    })
    .filter(({ count }) => count > 0);
}
