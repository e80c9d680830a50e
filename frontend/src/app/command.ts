import type { Needs } from "../ui/reach";

/** What the palette can do. */
export interface Command {
  label: string;
  /** The identifiers in the label, which are set in the mono face. */
  names?: readonly string[];
  /** Other words by which it is found. */
  words?: string;
  shortcut?: string;
  /** Shown dimmed behind the label. */
  note?: string;
  /** What has to answer for it; it is off meanwhile. */
  needs?: Needs;
  run: () => void;
}
