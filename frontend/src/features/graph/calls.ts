/** Calls of one model by another, in words. Pure functions. */
import type { Calls } from "../../api/conch_pb";
import { moment } from "../../lib/format";

const grouped = (n: bigint): string => n.toLocaleString("en-US");

/** All calls, also those that run: "1 call", "1,204 calls, 3 failed". */
export function callsPhrase({ count, running, failed }: Calls): string {
  const all = count + running;
  const calls = `${grouped(all)} ${all === 1n ? "call" : "calls"}`;
  return failed === 0n ? calls : `${calls}, ${grouped(failed)} failed`;
}

/** "2 running now", else "last 14:03:22", with the date before today, and whether that one failed. */
export function lastCall({ last, running, newestFailed }: Calls): string {
  if (running > 0n) return `${grouped(running)} running now`;
  return `last ${moment(last)}${newestFailed ? ", failed" : ""}`;
}
