import { type Theme, useSettings } from "../stores/settings";

/** Kept beside the setting so that the first paint has the right colours already. */
const KEY = "conch-theme";

const dark = () => window.matchMedia("(prefers-color-scheme: dark)");

function paint(theme: Theme): void {
  const isDark = theme === "dark" || (theme === "system" && dark().matches);
  document.documentElement.classList.toggle("dark", isDark);
}

function remembered(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === "dark" || kept === "light" ? kept : "system";
}

/** Paints the remembered theme at once and follows the setting and the system from then on. */
export function followTheme(): void {
  useSettings.setState({ theme: remembered() });
  paint(remembered());
  dark().addEventListener("change", () => paint(useSettings.getState().theme));
  useSettings.subscribe(({ theme }, before) => {
    if (theme === before.theme) return;
    localStorage.setItem(KEY, theme);
    paint(theme);
  });
}
