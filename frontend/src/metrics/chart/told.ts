/** Events that say the same again, such as after each save, are one with their number. Pure functions. */
import type { Notice } from "../../api/conch_pb";

export type Told = {
  readonly newest: Notice;
  readonly first: bigint; // when it was told first
  readonly count: number;
};

/** How long something took is not what it says. */
const took = /\b(?:\d+ min \d+ s|\d[\d.]* (?:ns|µs|ms|s)|(?:\d+h)?\d+m\d+s)\b/g; // older events have "1m5s"

/** What an event says, the same for all that say it again. */
export const said = ({ level, text }: Notice): string => `${level} ${text.replace(took, "")}`;

/**
 * Joins what was said of a model again and again, newest first. What else was said of the model in between keeps two of
 * them apart; what was said of other models does not.
 */
export function joinRepeated(events: readonly Notice[]): Told[] {
  const all: Told[] = [];
  const last = new Map<string, number>(); // by model: the place of its newest so far
  for (const event of [...events].reverse()) {
    const place = last.get(event.model);
    const later = place === undefined ? undefined : all[place];
    if (place !== undefined && later && said(later.newest) === said(event)) {
      all[place] = { ...later, first: event.time, count: later.count + 1 };
    } else {
      last.set(event.model, all.length);
      all.push({ newest: event, first: event.time, count: 1 });
    }
  }
  return all;
}
