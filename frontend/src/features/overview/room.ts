/** How the table of models fills the room that the page leaves for it. Pure functions. */

export const headHeight = 50;
const borders = 2;

/** A row where all are in sight. */
const usual = 36; // --row-table
/** A row where not all are in sight: the table ends with a whole one, and leaves no gap under it. */
const least = 34;

/** How high the card is when all rows are in it. */
export const heightOf = (rows: number) => headHeight + rows * usual + borders;

export type Room = {
  readonly rowHeight: number;
  readonly seen?: number; // how many rows are in sight where not all are
};

/** Of so many rows, what is in sight in a place of this height; undefined while that is not known. */
export function roomIn(height: number | undefined, rows: number): Room {
  if (height === undefined || height >= heightOf(rows) - 1) return { rowHeight: usual };
  const room = height - borders - headHeight;
  const seen = Math.max(1, Math.floor(room / least));
  if (seen >= rows) return { rowHeight: Math.floor(room / rows) };
  return { rowHeight: Math.max(least, Math.floor(room / seen)), seen };
}
