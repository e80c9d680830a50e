// What the screens that axe judges are opened and left with.
import { LOADING_MS } from "./handsOnKeys.mjs";

/** Shows the page of an address fragment, as a link to it does. */
export const at = (hash, seen) => (page) => page.go(hash, seen, LOADING_MS);
export const tabOf = (name) => ({ css: "[role=tab][aria-selected=true]", name });
export const escaped = async (page) => {
  await page.driver.press("Escape");
  await page.gone({ css: "[role=dialog], [role=menu]" });
};
/** Opens a menu by its button, on the page that is shown. */
export const menu = (name, show) => async (page) => {
  await show?.(page);
  await page.click({ role: "button", name });
  await page.see({ role: "menu" });
};
export const dialog = (open) => async (page, place) => {
  await open(page, place);
  await page.see({ role: "dialog" });
};
export const config = at("#/models/digits/try", { css: ".cm-content" });
