// Every screen in both themes, as axe judges it: roles, names, contrast, landmarks.
import { violations } from "./axe.mjs";

const LOADING_MS = 30_000;

/** Shows the page of an address fragment, as a link to it does. */
const at = (hash, seen) => async (page) => {
  await page.driver.evaluate(`location.hash = ${JSON.stringify(hash)}; 1`);
  await page.see(seen, LOADING_MS);
};
const tabOf = (name) => ({ css: "[role=tab][aria-selected=true]", name });
const escaped = async (page) => {
  await page.driver.press("Escape");
  await page.gone({ css: "[role=dialog], [role=menu]" });
};
/** Opens a menu by its button, on the page that is shown. */
const menu = (name, show) => async (page) => {
  await show?.(page);
  await page.click({ role: "button", name });
  await page.see({ role: "menu" });
};
const dialog = (open) => async (page) => {
  await open(page);
  await page.see({ role: "dialog" });
};
/** Runs a command of the palette. */
export const command = async (page, text) => {
  await page.driver.press("Control+k");
  await page.see({ css: "[cmdk-input]" });
  await page.driver.type(text);
  await page.see({ css: "[cmdk-item][aria-selected=true]" });
  await page.driver.press("Enter");
  await page.gone({ css: "[cmdk-input]" });
};

const config = at("#/models/digits/try", { css: ".cm-content" });
const overview = at("#/overview", tabOf(/^Overview/));
const editing = async (page) => {
  await config(page);
  await page.click({ css: ".cm-content" });
};

// What is opened, how, and how it goes away again where the next screen does not replace it.
const screens = [
  ["overview", overview],
  ["requests", at("#/requests", tabOf(/^Requests/))],
  ["problems", at("#/problems", tabOf(/^Problems/))],
  ["log of the repository", at("#/log", tabOf(/^Log/))],
  ["config and try", config],
  ["config alone", at("#/models/digits/config", { css: ".cm-content" })],
  ["graph and try", at("#/models/read_digit/try", { css: "[aria-label='Graph of read_digit']" })],
  ["metrics", at("#/models/digits/metrics", { css: "[aria-label='Metrics of digits']" })],
  ["log of a model", at("#/models/digits/log", tabOf(/^Log/))],
  ["files", at("#/models/digits/files", tabOf(/^Files/))],
  ["a model that is not there", at("#/models/nothing/try", { css: "main h2" })],
  [
    "effective config",
    async (page) => {
      await config(page);
      await page.click({ role: "radio", name: "Effective" });
      await page.see({ css: "section[aria-label='Effective config']" }).catch(() => {});
    },
  ],
  ["comparison", async (page) => page.click({ role: "radio", name: "Compare" })],
  [
    "search in the editor",
    async (page) => {
      await page.click({ role: "radio", name: "Text" });
      await editing(page);
      await page.driver.press("Control+f");
      await page.see({ css: "search input[aria-label=Find]" });
    },
    (page) => page.driver.press("Escape"),
  ],
  [
    "completion",
    async (page) => {
      await editing(page);
      await page.driver.press("Control+End");
      await page.driver.press("Control+Space");
      await page.see({ css: ".cm-tooltip-autocomplete" });
    },
    (page) => page.driver.press("Escape"),
  ],
  ["outline", dialog((page) => page.click({ role: "button", name: "Outline" })), escaped],
  ["renaming of a model", dialog((page) => command(page, "rename digits")), escaped],
  ["new model", dialog((page) => command(page, "new model")), escaped],
  ["open a repository", dialog((page) => command(page, "open another")), escaped],
  ["keys", dialog((page) => page.driver.press("F1")), escaped],
  ["about", dialog((page) => command(page, "about conch")), escaped],
  [
    "palette",
    async (page) => {
      await page.driver.press("Control+k");
      await page.see({ css: "[cmdk-item]" });
    },
    (page) => page.driver.press("Escape"),
  ],
  ["menu of the engine", menu(/^Engine/, overview), escaped],
  ["settings", menu("Settings"), escaped],
  ["repositories", menu(/^Repository /), escaped],
  ["menu of a model", menu("More", config), escaped],
];

/** Opens each screen and collects what axe says of it. */
async function judge(page) {
  const found = [];
  for (const [name, open, leave] of screens) {
    try {
      await open(page);
      for (const violation of await violations(page)) found.push(`${name}: ${violation}`);
      await leave?.(page);
    } catch (error) {
      found.push(`${name}: ${error.message}`);
      await page.driver.press("Escape");
    }
  }
  if (found.length > 0) throw new Error(`${found.length} found:\n     ${found.join("\n     ")}`);
}

const inTheme = (theme) => async (page) => {
  await overview(page);
  await page.see({ css: "[data-model=digits]" }, LOADING_MS);
  await command(page, `theme: ${theme}`);
  await page.until("the theme", () =>
    page.driver.evaluate(`document.documentElement.classList.contains("dark") === ${theme === "dark"}`),
  );
  await judge(page);
};

export const access = [
  ["axe finds nothing on any screen, light", inTheme("light")],
  ["axe finds nothing on any screen, dark", inTheme("dark")],
];
