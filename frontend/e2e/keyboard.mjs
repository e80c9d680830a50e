// A person without a mouse: every pane is reached with Tab, the focus is always seen and comes back, and the loop of
// editing, saving, loading and sending is done with keys alone.
import { command, goTo, LOADING_MS, nameInFocus, stateOf } from "./handsOnKeys.mjs";
import { actions } from "./keyboardActions.mjs";
import { findEngine } from "./processes.mjs";

async function comesBack(page, open, what) {
  const before = await nameInFocus(page);
  await page.driver.press(open);
  await page.see(what);
  await page.driver.press("Escape");
  await page.gone(what);
  await page.until(`the focus back on "${before}"`, async () => (await nameInFocus(page)) === before);
}

export const keyboard = [
  [
    "Tab reaches the top bar, the models and the page, and the focus is seen everywhere",
    async (page) => {
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      for (const stop of [/^Conch/, /^Repository/, /^Go to model/, /^Engine/, /^Settings/, /^Filter models/])
        await goTo(page, stop);
      for (const stop of [
        /add_sub|read_digit/,
        /^New model/,
        /^Load all/,
        /^Width of the sidebar/,
        /^Overview/,
      ])
        await goTo(page, stop);
    },
  ],
  [
    "a dialog and a menu give the focus back",
    async (page) => {
      await comesBack(page, "F1", { role: "dialog" });
      await comesBack(page, "Control+k", { css: "[cmdk-input]" });
      await goTo(page, /^Settings/, "Shift+Tab");
      await comesBack(page, "Enter", { role: "menu" });
    },
  ],
  [
    "the list of keys has every key that is bound",
    async (page) => {
      await page.driver.press("F1");
      await page.reads("[role=dialog]", /Ctrl K[\s\S]*Ctrl B[\s\S]*Ctrl S[\s\S]*F12[\s\S]*Ctrl ⏎/);
      await page.driver.press("Escape");
      await page.gone({ role: "dialog" });
    },
  ],
  [
    "the sidebar is left out and brought back",
    async (page) => {
      await page.driver.press("Control+b");
      await page.gone({ css: "[data-model]" });
      await page.driver.press("Control+b");
      await page.see({ css: "[data-model]" });
    },
  ],
  [
    "a model is opened, unloaded, loaded and asked",
    async (page) => {
      await command(page, "add_sub");
      await page.see({ css: ".cm-content" });
      await command(page, "unload add_sub");
      await page.see(stateOf("add_sub", "Unloaded"), LOADING_MS);
      await command(page, "load add_sub");
      await page.see(stateOf("add_sub", "Ready"), LOADING_MS);
      await page.see({ css: "main button:not(:disabled)", name: /^Send/ });
      await page.driver.press("Control+Enter");
      await page.see({ css: "section[aria-label='Output OUTPUT1']" });
    },
  ],
  [
    "the palette goes to a problem and to a request",
    async (page, place) => {
      const config = place.read("digits/config.pbtxt");
      place.write("digits/config.pbtxt", config.replace(/dims: \[ ?64/, "dims: [ 63"));
      await page.see({ css: "[data-model=digits] [aria-label$='error']" }, LOADING_MS);
      await command(page, "digits, line");
      await page.see({ css: ".cm-content[aria-label='config.pbtxt']" });
      place.write("digits/config.pbtxt", config);
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      await command(page, "request OUTPUT1");
      await page.see({ role: "heading", name: /add_sub/ });
    },
  ],
  [
    "the engine is started again from the palette",
    async (page) => {
      const before = findEngine(process.pid);
      await command(page, "restart the engine");
      await page.until("another engine", () => findEngine(process.pid) !== before, LOADING_MS);
      await page.see(stateOf("add_sub", "Ready"), LOADING_MS);
    },
  ],
  ...actions,
];
