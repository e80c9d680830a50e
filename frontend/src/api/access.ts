import { clients } from "./client";
import { describeError, isRefused } from "./errors";
import { setToken, tokenIn } from "./token";

const listeners = new Set<() => void>();

/** Has someone told when a token was given that fits. */
export function onAdmitted(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Goes on with a token that fits. */
export function admit(token: string): void {
  setToken(token);
  for (const listener of listeners) listener();
}

/** Tries an address that `conch web` printed, or the token alone. Resolves with why it does not fit, or with nothing. */
export async function enterToken(text: string): Promise<string | undefined> {
  const token = tokenIn(text);
  if (token === undefined)
    return "This text has no token. A token is 32 digits and letters from a to f, at the end of the address.";
  setToken(token);
  try {
    await clients.workspace.getSettings({});
  } catch (error) {
    return isRefused(error) ? "This token is not valid either." : describeError(error).message;
  }
  admit(token);
  return undefined;
}
