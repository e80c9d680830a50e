import { native } from "./native";
import { setSetting, useSettings, zooms } from "./settings";

/** Whether the size is this window's to change. In a browser it is the browser's, with its own keys. */
export const canZoom = (): boolean => native() !== undefined;

/** One size larger, or smaller; the last one of its end stays. */
export function zoomBy(step: 1 | -1): void {
  const at = zooms.indexOf(useSettings.getState().zoom) + step;
  const next = zooms[at];
  if (next !== undefined) setSetting("zoom", next);
}

export const normalSize = (): void => setSetting("zoom", 100);

/** Shows the page in the size of the settings from now on. */
export function followZoom(): void {
  let shown = 100;
  const follow = (zoom: number) => {
    if (zoom === shown) return;
    shown = zoom;
    void native()?.SetZoom(zoom);
  };
  follow(useSettings.getState().zoom);
  useSettings.subscribe(({ zoom }) => follow(zoom));
}
