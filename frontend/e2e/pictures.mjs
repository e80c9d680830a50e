// Pictures that a story takes on its way, for people who want to look: where CONCH_PICTURES is set.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./workplace.mjs";

const PICTURES = join(ROOT, "build/cache/e2e/looks");

/** How long the screen takes to show what the page has drawn, and more. */
const SHOWN_MS = 150;

/** What is shown, in both themes. */
export async function pictures(page, name) {
  if (!process.env.CONCH_PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  for (const theme of ["dark", "light"]) {
    await page.driver.evaluate(`(() => {
      document.documentElement.classList.toggle("dark", ${theme === "dark"});
      window.conchDrawn = false;
      requestAnimationFrame(() => setTimeout(() => { window.conchDrawn = true; }, ${SHOWN_MS}));
    })()`);
    await page.until("the theme to be drawn", () => page.driver.evaluate("window.conchDrawn"));
    await page.driver.screenshot(join(PICTURES, `${name}-${theme}.png`));
  }
}
