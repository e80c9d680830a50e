import { type RefCallback, useCallback } from "react";

/** Brings what opens below the fold into sight: its end, or its beginning where it is higher than what shows it. */
export function useRevealed<E extends HTMLElement>(): RefCallback<E> {
  return useCallback((element: E | null) => {
    if (!element?.scrollIntoView) return;
    element.scrollIntoView({ block: "nearest" });
  }, []);
}
