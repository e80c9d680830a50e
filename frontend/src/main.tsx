import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./ui/tokens.css";
import "./ui/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { followTheme } from "./app/theme";
import { loadSettings } from "./stores/settings";

/** Pane sizes come with the settings; nothing is drawn before them, unless they take too long. */
const SETTINGS_WAIT_MS = 300;

async function start(root: HTMLElement): Promise<void> {
  followTheme();
  const tooLong = new Promise((resolve) => setTimeout(resolve, SETTINGS_WAIT_MS));
  await Promise.race([loadSettings().catch(() => undefined), tooLong]);
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

const root = document.getElementById("root");
if (root) void start(root);
