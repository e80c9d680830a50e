/** How many rows fit into a height whole, and their height together; at least one. */
export function wholeRows(heights: readonly number[], most: number): { count: number; height: number } {
  let height = 0;
  let count = 0;
  for (const row of heights) {
    if (count > 0 && height + row > most) break;
    height += row;
    count++;
  }
  return { count, height };
}
