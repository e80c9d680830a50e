/** The list of models: beside the page, and over it for a moment where the window is too narrow for both. */
import { useSyncExternalStore } from "react";
import { create } from "zustand";
import { usePlace } from "./place";
import { setSetting, useSettings } from "./settings";

/** Below this width a page has too little room beside the sidebar. ui/base.css and the bars use the same one. */
const narrow = matchMedia("(max-width: 879px)");

export const useNarrow = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      narrow.addEventListener("change", changed);
      return () => narrow.removeEventListener("change", changed);
    },
    () => narrow.matches,
  );

export const useDrawer = create<{ open: boolean }>(() => ({ open: false }));

export const closeDrawer = (): void => useDrawer.setState({ open: false });

/** Shows the sidebar, or hides it. Over a page it is not remembered. */
export function toggleSidebar(): void {
  if (narrow.matches) useDrawer.setState(({ open }) => ({ open: !open }));
  else setSetting("sidebar", !useSettings.getState().sidebar);
}

// Who has chosen where to go wants to see it.
usePlace.subscribe(closeDrawer);
narrow.addEventListener("change", closeDrawer);
