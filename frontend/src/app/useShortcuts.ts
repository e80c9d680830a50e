import { useEffect } from "react";
import { dialogIsOpen, openDialog } from "../window/dialogs";
import { isPress, type Key, keys } from "../window/keys";
import { usePlace } from "../window/place";
import { toggleSidebar } from "../window/sidebar";
import { goBack, goForward } from "../window/trail";
import { canZoom, normalSize, zoomBy } from "../window/zoom";
import { usePalette } from "./paletteState";

/** Keys that work everywhere. Those of the editor and of the request form live with them. */
const bound: readonly [Key, () => void][] = [
  [keys.palette, () => usePalette.setState(({ open }) => ({ open: !open }))],
  [keys.sidebar, toggleSidebar],
  [keys.keys, () => openDialog("keys")],
  // Where no config is shown Ctrl S would offer to save the page.
  [keys.save, () => undefined],
  // In the desktop window Ctrl / would select all of the page.
  [keys.comment, () => undefined],
];

/** Those of the desktop window alone: a browser has its own for it. */
const sizes: readonly [Key, () => void][] = [
  [keys.larger, () => zoomBy(1)],
  [keys.smaller, () => zoomBy(-1)],
  [keys.normalSize, normalSize],
];

/** Alt and an arrow, as browsers have it; where Alt moves by words, Ctrl and minus. */
function wayOf(event: KeyboardEvent): (() => void) | undefined {
  if (isPress(event, keys.back)) return goBack;
  return isPress(event, keys.forward) ? goForward : undefined;
}

/** F2 means the model on the screen where nothing else has taken it. */
function renameHere(event: KeyboardEvent): void {
  const { model } = usePlace.getState();
  if (event.defaultPrevented || !isPress(event, keys.rename) || model === "" || dialogIsOpen()) return;
  event.preventDefault();
  openDialog("renameModel", model);
}

export function useShortcuts(): void {
  useEffect(() => {
    const onWay = (event: KeyboardEvent) => {
      const go = wayOf(event);
      if (!go || dialogIsOpen()) return;
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
      const [, run] = [...bound, ...(canZoom() ? sizes : [])].find(([key]) => isPress(event, key)) ?? [];
      if (!run) return;
      event.preventDefault();
      run();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
