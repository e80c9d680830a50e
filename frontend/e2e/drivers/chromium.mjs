// Chromium as a driver: real mouse and keyboard events through playwright-core.
import { chromium } from "playwright-core";

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Opens url in Debian's Chromium. size is { width, height }; dark asks for the dark theme; extra are more arguments. */
export async function openChromium(url, { size, dark = false, extra = [] }) {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [...ARGUMENTS, ...extra],
  });
  const context = await browser.newContext({ viewport: size, colorScheme: dark ? "dark" : "light" });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const errors = [];
  /** What hands and eyes do in one tab, which is opened on the address. */
  const tab = async (at = url) => {
    const page = await context.newPage();
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(at);
    return {
      name: "Chromium",
      errors,
      evaluate: (expression) => page.evaluate(expression),
      move: (x, y) => page.mouse.move(x, y),
      down: () => page.mouse.down(),
      up: () => page.mouse.up(),
      type: (text, options) => page.keyboard.type(text, options),
      press: (key) => page.keyboard.press(key),
      resize: (size) => page.setViewportSize(size),
      screenshot: (path) => page.screenshot({ path }),
      /** Drags a file or a folder of this machine onto a place of the page, as from a file manager. */
      dropPath: (path, x, y) => dropPath(page, path, x, y),
      /** Goes to another page, as with a bookmark. */
      leave: () => page.goto("about:blank"),
      close: () => page.close(),
    };
  };
  return { ...(await tab()), tab, close: () => browser.close() };
}

async function dropPath(page, path, x, y) {
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await devtools.send("Input.dispatchDragEvent", { type, x, y, data });
  }
  await devtools.detach();
}
