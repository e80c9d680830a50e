import { useEffect } from "react";
import { openDialog } from "../window/dialogs";
import { usePlace } from "../window/place";
import { setSetting, useSettings } from "../window/settings";
import { goBack, goForward } from "../window/trail";
import { usePalette } from "./paletteState";

/** Keys that work everywhere. Those of the editor and of the request form live with them. */
const shortcuts: Record<string, () => void> = {
  k: () => usePalette.setState(({ open }) => ({ open: !open })),
  b: () => setSetting("sidebar", !useSettings.getState().sidebar),
};

/** On a Mac the command key does what Ctrl does elsewhere. */
const isCommand = (event: KeyboardEvent) =>
  (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;

const isMac = /mac/i.test(navigator.platform);

/** Alt and an arrow, as browsers have it; where Alt moves by words, Ctrl and minus. */
function wayOf(event: KeyboardEvent): (() => void) | undefined {
  if (isMac) {
    if (!event.ctrlKey || event.metaKey || event.code !== "Minus") return undefined;
    return event.shiftKey ? goForward : goBack;
  }
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return undefined;
  return { ArrowLeft: goBack, ArrowRight: goForward }[event.key];
}

/** F2 means the model on the screen where nothing else has taken it. */
function renameHere(event: KeyboardEvent): void {
  const { model } = usePlace.getState();
  if (event.defaultPrevented || event.key !== "F2" || model === "" || document.querySelector("[role=dialog]"))
    return;
  event.preventDefault();
  openDialog("renameModel", model);
}

export function useShortcuts(): void {
  useEffect(() => {
    const onWay = (event: KeyboardEvent) => {
      const go = wayOf(event);
      if (!go || document.querySelector("[role=dialog]")) return;
      // Before the editor and the browser, which have other uses for these keys.
      event.preventDefault();
      event.stopPropagation();
      go();
    };
    window.addEventListener("keydown", onWay, true);
    return () => window.removeEventListener("keydown", onWay, true);
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      renameHere(event);
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
