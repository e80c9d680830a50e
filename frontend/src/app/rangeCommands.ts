/** Commands for the span of time that charts show. */
import { ranges } from "../lib/range";
import { setRange, zoomBack } from "../metrics/range";
import type { Command } from "./command";

export const rangeCommands: readonly Command[] = [
  ...ranges.map(({ id, label, title }) => ({
    label: `Charts: ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    words: `range time metrics ${label}`,
    run: () => setRange(id),
  })),
  {
    label: "Charts: zoom out",
    words: "range time metrics back",
    shortcut: "Esc",
    run: () => void zoomBack(),
  },
];
