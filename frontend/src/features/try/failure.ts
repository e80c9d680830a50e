/** A failure in words: what could not be built says so itself, what could not be delivered in the transport's words. */
import { ConnectError } from "@connectrpc/connect";
import { describeError } from "../../api/errors";

export function failureText(error: unknown): string {
  if (error instanceof Error && !(error instanceof ConnectError) && !(error instanceof TypeError))
    return error.message;
  return describeError(error).message;
}
