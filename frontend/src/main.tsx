import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./ui/tokens.css";
import "./ui/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { known } from "./app/firstView";
import { beginWhereLeft } from "./app/kept";
import { startWorkspace } from "./app/session";
import { followTheme } from "./app/theme";
import { loadSettings } from "./window/settings";
import { followZoom } from "./window/zoom";

/** The faces of the first view. Without them it would be laid out twice, first with others. */
const FACES = ['13px "Inter Variable"', '12px "JetBrains Mono Variable"'];

/**
 * Pane sizes come with the settings, the page with the place, and the list of models with the first update; nothing is
 * drawn before, unless that takes too long.
 */
const FIRST_WAIT_MS = 300;

async function start(root: HTMLElement): Promise<void> {
  followTheme();
  startWorkspace(); // for as long as the page lives
  const tooLong = new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS));
  const faces = FACES.map((face) => document.fonts.load(face));
  const all = Promise.allSettled([loadSettings(), beginWhereLeft(), known(), ...faces]);
  await Promise.race([all, tooLong]);
  followZoom();
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

const root = document.getElementById("root");
if (root) void start(root);
