/** Filling the rows of a batch from what was given. */
import { count } from "../lib/format";

/** What was given is too little or too much for the batch. The form offers ways out. */
export class RowsError extends Error {
  readonly given: number;
  readonly wanted: number;
  readonly noun: string;
  constructor(given: number, wanted: number, noun: string) {
    super(`${given === 0 ? `No ${noun}` : count(given, noun)} for a batch of ${wanted}`);
    this.given = given;
    this.wanted = wanted;
    this.noun = noun;
  }
}

export type Batch = { readonly wanted: number; readonly repeat: boolean; readonly noun: string };

/** As many rows as the batch takes; given ones come again, in turn, only when that was asked for. */
export function fillRows<T>(rows: readonly T[], { wanted, repeat, noun }: Batch): readonly T[] {
  if (rows.length === wanted) return rows;
  if (!repeat || rows.length === 0 || rows.length > wanted) throw new RowsError(rows.length, wanted, noun);
  return Array.from({ length: wanted }, (_, i) => rows[i % rows.length] as T);
}

/** A list in pieces of one size. */
export function pieces<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: list.length / size }, (_, i) => list.slice(i * size, (i + 1) * size));
}
