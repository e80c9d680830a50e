/** How much of a table is drawn at once. */
export const most = { rows: 64, columns: 32 };
