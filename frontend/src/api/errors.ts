import { Code, ConnectError } from "@connectrpc/connect";
import { FolderAwaySchema, type LibraryWords, LibraryWordsSchema } from "./conch_pb";

/** What went wrong, for people: a sentence, and what can be done about it when that is known. */
export interface Failure {
  message: string;
  advice?: string;
  /** Asking again may help. */
  retry: boolean;
  /** What a library said, in words that are for its makers. */
  said?: LibraryWords | undefined;
}

const advice: Partial<Record<Code, string>> = {
  [Code.Unauthenticated]: "Open the address that `conch web` printed when it started; it contains the token.",
  [Code.DeadlineExceeded]: "Try again, or see the log for what the engine is doing.",
};

const mayRetry = new Set([
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.Aborted,
  Code.Unknown,
  Code.Internal,
]);

/** A request that never reached the app: fetch rejects with a TypeError whose text differs by engine. */
function isUnreachable(cause: ConnectError): boolean {
  return cause.cause instanceof TypeError || cause.code === Code.Unavailable;
}

/** Translates whatever was thrown into words. The app's own sentences are passed on unchanged. */
export function describeError(error: unknown): Failure {
  const cause = ConnectError.from(error);
  if (isUnreachable(cause) && (cause.rawMessage === "" || cause.cause instanceof TypeError)) {
    return {
      message: "The workbench does not answer",
      advice: "It may be restarting; try again in a moment.",
      retry: true,
    };
  }
  return {
    message: cause.rawMessage,
    advice: advice[cause.code],
    retry: mayRetry.has(cause.code),
    said: cause.findDetails(LibraryWordsSchema)[0],
  };
}

/** Reports whether the server wants another token than this page has. */
export function isRefused(error: unknown): boolean {
  return ConnectError.from(error).code === Code.Unauthenticated;
}

/** Reports whether a failure only means that the question was withdrawn. */
export function isCanceled(error: unknown): boolean {
  return ConnectError.from(error).code === Code.Canceled;
}

/** Reports whether a call failed because the repository's folder is away. That is over once the folder is back. */
export function isFolderAway(error: unknown): boolean {
  return ConnectError.from(error).findDetails(FolderAwaySchema).length > 0;
}

/** Reports whether a call failed because what should have answered was not ready. */
export function isUnavailable(error: unknown): boolean {
  return ConnectError.from(error).code === Code.Unavailable;
}
