// Photographs screens, to be looked at. usage: [TEXT=125] node e2e/fake/photograph.mjs URL OUT_DIR [NAME...]
// TEXT is the size of everything in percent, as a browser's zoom sets it.
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";
import { screens } from "./screens.mjs";

const [url, out, ...names] = process.argv.slice(2);
const scale = Number(process.env.TEXT ?? 100) / 100;
const zoomed = ({ width, height }) => ({
  width: Math.round(width / scale),
  height: Math.round(height / scale),
});
mkdirSync(out, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
for (const [name, screen] of Object.entries(screens)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const colorScheme of screen.schemes ?? ["light"]) {
    const page = await browser.newPage({
      viewport: zoomed(screen.size ?? { width: 1280, height: 800 }),
      deviceScaleFactor: scale,
      colorScheme,
    });
    page.on(
      "console",
      (message) =>
        message.type() === "error" &&
        !/vite|WebSocket/.test(message.text()) &&
        console.log(`${name}: ${message.text()}`),
    );
    page.on("dialog", (dialog) => {
      console.log(`${name}: a name was executed: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on(
      "pageerror",
      (error) => !/WebSocket/.test(error.message) && console.log(`${name}: ${error.message}`),
    );
    await page.goto(`${url}${screen.hash ?? ""}`);
    // The first time a page is asked for, its sources are compiled.
    const title = page.locator("main h1").first();
    await title.waitFor({ timeout: 30_000 }).catch(() => console.log(`${name}: no page was seen`));
    await page.waitForTimeout(screen.wait ?? 900);
    try {
      await screen.act?.(page);
    } catch (error) {
      console.log(`${name}: ${error.message}`);
    }
    await page.screenshot({ path: `${out}/${name}-${colorScheme}.png` });
    await page.close();
  }
}
await browser.close();
