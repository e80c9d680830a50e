/** A place in a text that stays what it is when the text around it changes a little. */
export interface TextSpot {
  path: string;
  line: number;
  column: number;
  /** The line at the upper edge, and how much of it is above. */
  top: { line: number; offset: number };
}
