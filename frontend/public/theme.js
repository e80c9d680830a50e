// Runs before the first paint, so that a dark window is dark at once. src/app/theme.ts goes on from here.
(() => {
  const KEY = "conch-theme"; // beside the setting, which the app answers only later
  const system = matchMedia("(prefers-color-scheme: dark)");
  const paint = (theme) =>
    document.documentElement.classList.toggle(
      "dark",
      theme === "dark" || (theme === "system" && system.matches),
    );
  const kept = localStorage.getItem(KEY);
  const remembered = kept === "dark" || kept === "light" ? kept : "system";
  paint(remembered);
  window.conchTheme = { remembered, paint, system, keep: (theme) => localStorage.setItem(KEY, theme) };
})();
