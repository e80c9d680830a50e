import { useEffect, useRef } from "react";
import { dialogIsOpen } from "../../window/dialogs";
import { isPress, type Key } from "../../window/keys";

/**
 * A key of the pane that works wherever the focus is. In the text the editor's own key has done it already. What is
 * run reports false when the key is still anybody's.
 */
export function usePaneKey(key: Key, run: () => boolean): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isPress(event, key) || dialogIsOpen()) return;
      if (latest.current()) event.preventDefault();
    };
    // The document comes before the window, where the keys that work everywhere are taken.
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [key]);
}
