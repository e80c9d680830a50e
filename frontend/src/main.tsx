import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./ui/tokens.css";
import "./ui/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { beginWhereLeft } from "./app/kept";
import { followTheme } from "./app/theme";
import { loadSettings } from "./window/settings";
import { followZoom } from "./window/zoom";

/** Pane sizes come with the settings, and the page with the place; nothing is drawn before, unless that takes too long. */
const SETTINGS_WAIT_MS = 300;

async function start(root: HTMLElement): Promise<void> {
  followTheme();
  const tooLong = new Promise((resolve) => setTimeout(resolve, SETTINGS_WAIT_MS));
  const known = Promise.allSettled([loadSettings(), beginWhereLeft()]);
  await Promise.race([known, tooLong]);
  followZoom();
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

const root = document.getElementById("root");
if (root) void start(root);
