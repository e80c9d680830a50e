import { useEffect } from "react";
import { setSetting, useSettings } from "../stores/settings";
import { usePalette } from "./paletteState";

/** Keys that work everywhere. Those of the editor and of the request form live with them. */
const shortcuts: Record<string, () => void> = {
  k: () => usePalette.setState(({ open }) => ({ open: !open })),
  b: () => setSetting("sidebar", !useSettings.getState().sidebar),
};

/** On a Mac the command key does what Ctrl does elsewhere. */
const isCommand = (event: KeyboardEvent) =>
  (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;

export function useShortcuts(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isCommand(event)) return;
      const run = shortcuts[event.key.toLowerCase()];
      if (run) {
        event.preventDefault();
        run();
      } else if (event.key.toLowerCase() === "s") {
        // Without an editor in focus Ctrl S would offer to save the page.
        event.preventDefault();
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
