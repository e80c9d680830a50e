import { type Theme, useSettings } from "../window/settings";

/** What public/theme.js, which painted the page first, leaves behind. */
interface FirstPaint {
  remembered: Theme;
  paint: (theme: Theme) => void;
  /** Whether the desktop is dark. */
  system: MediaQueryList;
  keep: (theme: Theme) => void;
}

declare global {
  interface Window {
    conchTheme: FirstPaint;
  }
}

/** Goes on with the remembered theme, and follows the setting and the system from then on. */
export function followTheme(): void {
  const { remembered, paint, system, keep } = window.conchTheme;
  useSettings.setState({ theme: remembered });
  system.addEventListener("change", () => paint(useSettings.getState().theme));
  useSettings.subscribe(({ theme }, before) => {
    if (theme === before.theme) return;
    keep(theme);
    paint(theme);
  });
}
