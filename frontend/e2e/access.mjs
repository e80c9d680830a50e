// Every screen in both themes, as axe judges it: roles, names, contrast, landmarks.
import { join } from "node:path";
import { overview, screens } from "./accessScreens.mjs";
import { violations } from "./axe.mjs";
import { command, LOADING_MS } from "./handsOnKeys.mjs";

/** Opens each screen and collects what axe says of it. */
async function judge(page, place) {
  const found = [];
  for (const [name, open, leave] of screens) {
    try {
      await open(page, place);
      for (const violation of await violations(page)) found.push(`${name}: ${violation}`);
      await leave?.(page, place);
    } catch (error) {
      found.push(`${name}: ${error.message}`);
      await page.driver.press("Escape");
    }
  }
  if (found.length > 0) throw new Error(`${found.length} found:\n     ${found.join("\n     ")}`);
}

const inTheme = (theme) => async (page, place) => {
  await overview(page);
  await page.see({ css: "[data-model=digits]" }, LOADING_MS);
  await command(page, `theme: ${theme}`);
  await themed(page, theme);
  await judge(page, place);
};

const themed = (page, theme) =>
  page.until("the theme", () =>
    page.driver.evaluate(`document.documentElement.classList.contains("dark") === ${theme === "dark"}`),
  );

/** The first screen of all, where nothing is open. */
const welcome = async (page, place) => {
  place.args = [];
  place.data = join(place.dir, "fresh");
  await page.reopen();
  const found = [];
  for (const theme of ["light", "dark"]) {
    await page.see({ role: "heading", name: "Welcome to Conch" }, LOADING_MS);
    await command(page, `theme: ${theme}`);
    await themed(page, theme);
    found.push(...(await violations(page)));
  }
  if (found.length > 0) throw new Error(found.join("\n     "));
};

export const access = [
  ["axe finds nothing on any screen, light", inTheme("light")],
  ["axe finds nothing on any screen, dark", inTheme("dark")],
  ["axe finds nothing on the first screen", welcome],
];
