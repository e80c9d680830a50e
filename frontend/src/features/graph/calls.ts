/** Calls of one model by another, in words. Pure functions. */
import type { Calls } from "../../api/conch_pb";
import { moment } from "../../lib/format";

const grouped = (n: bigint): string => n.toLocaleString("en-US");

/** "1 call", "1,204 calls, 3 failed". */
export function callsPhrase({ count, failed }: Calls): string {
  const calls = `${grouped(count)} ${count === 1n ? "call" : "calls"}`;
  return failed === 0n ? calls : `${calls}, ${grouped(failed)} failed`;
}

/** Whether no call was answered. */
export const allFailed = ({ count, failed }: Calls): boolean => count > 0n && failed === count;

/** "last 14:03:22", with the date before today. */
export const lastCall = ({ last }: Calls): string => `last ${moment(last)}`;
