/** How a request without an answer is called. Pure functions. */
import type { HistoryEntry, InferResponse } from "../api/conch_pb";
import { count, milliseconds } from "../lib/format";

type Took = Pick<HistoryEntry, "tookMs" | "stopped">;

/** Whether Conch ended while the request ran: nobody knows how it ended, or when. */
const isLost = ({ tookMs, stopped }: Took): boolean => stopped && tookMs === 0;

/** Whether a response stands for one that is lost. */
export const standsForLost = ({ stopped, timings }: InferResponse): boolean =>
  isLost({ stopped, tookMs: Number(timings?.roundTripNs ?? 0n) });

/** How long a request took, for a list. One whose answer was lost was sent, and nobody knows. */
export function tookText(entry: Took): string {
  if (entry.tookMs > 0) return milliseconds(entry.tookMs);
  return isLost(entry) ? "lost" : "not sent";
}

/** Codes of a request that was taken and then failed. With all others it is refused. The errors of a stream have none. */
const failed: ReadonlySet<string> = new Set(["INTERNAL", "UNKNOWN", ""]);

/** Whether a request of the history failed. One that the user stopped did not; one whose answer was lost did. */
export const hasFailed = (entry: HistoryEntry): boolean => !entry.ok && (!entry.stopped || isLost(entry));

export function failureTitle({
  unanswered,
  errorCode,
  answers,
}: Pick<InferResponse, "unanswered" | "errorCode" | "answers">): string {
  if (unanswered) return unansweredTitle(Number(answers));
  return failed.has(errorCode) ? "The request failed" : "The engine refused the request";
}

/** Of a request whose end did not come, by how many answers came before. */
export const unansweredTitle = (answers: number): string =>
  answers === 0 ? "No answer came" : `Cut off after ${count(answers, "answer")}`;

/** What a Python model answers before its own error: of no use in a row that ends after a few words. */
const inFront = /^Failed to process the request\(s\) for model '[^']*', message: /;

/** The error of a request, for a list: what the program said comes first. */
export const inShort = (error: string): string => error.replace(inFront, "");
