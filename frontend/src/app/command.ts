import type { Needs } from "../ui/reach";

/** What the palette can do. */
export interface Command {
  label: string;
  /** The identifier in the label, which is set in the mono face. */
  name?: string;
  /** Other words by which it is found. */
  words?: string;
  shortcut?: string;
  /** Shown dimmed behind the label. */
  note?: string;
  /** What has to answer for it; it is off meanwhile. */
  needs?: Needs;
  run: () => void;
}
