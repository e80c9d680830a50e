const KEY = "conch-token";

/** A token as `conch web` makes it: 128 bits in hexadecimal digits. */
const TOKEN = /(?:^|token=)([0-9a-f]{32})$/;

/** The token in an address that `conch web` printed, or the token itself. */
export function tokenIn(text: string): string | undefined {
  return TOKEN.exec(text.trim())?.[1];
}

/**
 * The token that `conch web` printed behind the # of its address, kept for this tab only. Undefined in the desktop
 * window, where the API is not reachable from outside.
 */
let token: string | undefined;

export const currentToken = (): string | undefined => token;

export function setToken(given: string): void {
  token = given;
  sessionStorage.setItem(KEY, given);
}

/** Takes the token out of the address, so that it does not stay in the history or get copied along. */
function takeFromAddress(): boolean {
  const given = tokenIn(window.location.hash);
  if (given === undefined) return false;
  setToken(given);
  window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
  return true;
}

/** Reads the token that this tab was opened with, or had before it was loaded again. */
export function readToken(): string | undefined {
  if (!takeFromAddress()) token = sessionStorage.getItem(KEY) ?? undefined;
  return token;
}

/** An address with a token that is opened in this tab loads no page: only what is behind the # changes. */
export function followAddress(onToken: () => void): () => void {
  const look = (event: HashChangeEvent) => {
    if (!takeFromAddress()) return;
    event.stopImmediatePropagation(); // it is no place inside the workbench
    window.history.replaceState(window.history.state, "", new URL(event.oldURL).hash || "#");
    onToken();
  };
  window.addEventListener("hashchange", look);
  return () => window.removeEventListener("hashchange", look);
}
