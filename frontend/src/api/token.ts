const KEY = "conch-token";

/** Removes `?token=` from the address, so that it does not stay in the history or get copied along. */
function takeFromAddress(): string | null {
  const url = new URL(window.location.href);
  const token = url.searchParams.get("token");
  if (token === null) return null;
  url.searchParams.delete("token");
  window.history.replaceState(window.history.state, "", url);
  return token;
}

/**
 * The token `conch web` printed in its URL, kept for this tab only. Undefined in the desktop window, where
 * the API is not reachable from outside.
 */
export function readToken(): string | undefined {
  const fresh = takeFromAddress();
  if (fresh !== null) sessionStorage.setItem(KEY, fresh);
  return fresh ?? sessionStorage.getItem(KEY) ?? undefined;
}
