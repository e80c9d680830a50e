import { useCallback, useRef } from "react";

/**
 * Gives the focus back to what had it before something opened. The libraries do so only for a dialog that has a button
 * of its own; ours are opened by keys and commands, too.
 */
export function useFocusBack(open: boolean): () => void {
  const before = useRef<Element | null>(null);
  const was = useRef(false);
  // While it is drawn, before it takes the focus: a field of it with autoFocus has that before any effect runs.
  if (open !== was.current) {
    was.current = open;
    if (open) before.current = document.activeElement;
  }
  return useCallback(() => {
    if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus();
  }, []);
}
