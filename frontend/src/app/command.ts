/** What the palette can do. */
export interface Command {
  label: string;
  /** Other words by which it is found. */
  words?: string;
  shortcut?: string;
  /** It needs the workbench: it is off while that does not answer. */
  asks?: boolean;
  run: () => void;
}
