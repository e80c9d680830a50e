/** What the palette can do. */
export interface Command {
  label: string;
  /** Other words by which it is found. */
  words?: string;
  shortcut?: string;
  run: () => void;
}
