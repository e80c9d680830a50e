import { useCallback, useLayoutEffect, useRef } from "react";

/**
 * Gives the focus back to what had it before something opened. The libraries do so only for a dialog that has a button
 * of its own; ours are opened by keys and commands, too.
 */
export function useFocusBack(open: boolean): () => void {
  const before = useRef<Element | null>(null);
  // Before what opens takes the focus.
  useLayoutEffect(() => {
    if (open) before.current = document.activeElement;
  }, [open]);
  return useCallback(() => {
    if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus();
  }, []);
}
