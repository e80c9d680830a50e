/** A failure in words: what could not be built says so itself, what could not be delivered in the transport's words. */
import { ConnectError } from "@connectrpc/connect";
import { describeError } from "../../api/errors";

/** Whether the failure happened here, before anything was sent. */
export function isOwn(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof ConnectError) && !(error instanceof TypeError);
}

export function failureText(error: unknown): string {
  return isOwn(error) ? error.message : describeError(error).message;
}
