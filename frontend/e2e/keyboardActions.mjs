// Every action of the window, with keys alone. Each step needs the one before.
import { typedOver } from "./editing.mjs";
import { command, focused, goTo, LOADING_MS, nameInFocus, stateOf } from "./handsOnKeys.mjs";

const DIGITS = "digits/config.pbtxt";
const TEXT = /^config\.pbtxt$/;
const dialog = { role: "dialog" };
const tab = (name) => ({ css: "[role=tab][aria-selected=true]", name });

/** Opens the config of a model and puts the cursor into it. */
async function edit(page, model) {
  await command(page, model);
  await command(page, "search in the config");
  await page.see({ css: "search input[aria-label=Find]" });
  await page.driver.press("Escape");
  await page.gone({ css: "search" });
  await page.until("the cursor in the text", async () => TEXT.test(await nameInFocus(page)));
}

/** Types over what the field holds that has the focus. */
async function typeOver(page, text) {
  await page.see({ css: "input:focus, textarea:focus" });
  await page.driver.press("Control+a");
  await typedOver(page, text);
}

/** The config of a model that waits a minute for a full batch. */
const slow = (config) =>
  `${config.replace(/^name: .*$/m, "").replace(/dynamic_batching\s*\{[^}]*\}/, "")}
dynamic_batching { preferred_batch_size: [ 8 ] max_queue_delay_microseconds: 60000000 }
`;
const ASKED = { css: "section[aria-label='Trust this repository?']" };

export const actions = [
  [
    "a config is edited and saved; Tab indents, Escape and Tab leave the text",
    async (page, place) => {
      await edit(page, "digits");
      await page.driver.press("Control+End");
      await page.driver.press("Enter");
      await page.driver.press("Tab");
      await page.driver.type("# by hand");
      await page.driver.press("Control+s");
      await page.until("the text on disk", () => /\n {2}# by hand\s*$/.test(place.read(DIGITS)));
      await page.driver.press("Escape");
      await page.driver.press("Tab");
      await page.until("the focus outside of the text", async () => !TEXT.test(await nameInFocus(page)));
      if (!(await focused(page))?.seen) throw new Error("the focus is not seen");
    },
  ],
  [
    "what was written is undone, searched and replaced",
    async (page, place) => {
      await edit(page, "digits");
      await page.driver.press("Control+f");
      await typeOver(page, "by hand");
      await page.reads("search [role=status]", /1 of 1/);
      await goTo(page, /^Replace with$/);
      await page.driver.type("by keys");
      await page.driver.press("Enter");
      await page.driver.press("Escape");
      await page.driver.press("Control+s");
      await page.until("the replaced text", () => place.read(DIGITS).includes("# by keys"));
      await page.see({ css: "button:disabled", name: /^Save/ });
      await page.driver.press("Control+z");
      await page.see({ css: "button:not(:disabled)", name: /^Save/ });
      await page.driver.press("Control+s");
      await page.until("the first text", () => place.read(DIGITS).includes("# by hand"));
    },
  ],
  [
    "a name is renamed wherever it is used, and the list of notices undoes it",
    async (page, place) => {
      await edit(page, "digits");
      await page.driver.press("Control+f");
      await typeOver(page, "probabilities");
      await page.reads("search [role=status]", /1 of/);
      await page.driver.press("Escape");
      await page.driver.press("F2");
      await page.see({ role: "textbox", name: "New name" });
      await typeOver(page, "chances");
      await page.reads("[role=dialog]", /"chances"/);
      await page.see({ css: "[role=dialog] button[type=submit]:not(:disabled)" });
      await page.driver.press("Enter");
      await page.gone(dialog);
      await page.until("the new name", () => /key: "chances"/.test(place.read("read_digit/config.pbtxt")));
      await command(page, "notices");
      await goTo(page, /^Undo/);
      await page.driver.press("Enter");
      await page.until("the old name", () =>
        /key: "probabilities"/.test(place.read("read_digit/config.pbtxt")),
      );
      await page.driver.press("Escape");
      await page.see(stateOf("read_digit", "Ready"), LOADING_MS);
    },
  ],
  [
    "a row of the list of models is renamed with F2",
    async (page) => {
      await command(page, "add_sub");
      await goTo(page, /^Filter models/, "Shift+Tab");
      await goTo(page, /add_sub|read_digit|digits/);
      const row = await nameInFocus(page);
      await page.driver.press("F2");
      await page.see({ role: "textbox", name: "New name" });
      await page.driver.press("Escape");
      await page.gone(dialog);
      await page.until("the focus on the row", async () => (await nameInFocus(page)) === row);
    },
  ],
  [
    "the graph is walked along its edges, and what is chosen has its detail",
    async (page) => {
      await command(page, "read_digit");
      await page.see({ css: "[aria-label='Graph of read_digit']" });
      await goTo(page, /^Graph\. Arrow keys/);
      await page.driver.press("ArrowDown");
      await page.driver.press("ArrowDown");
      await page.driver.press("Enter");
      await page.see({ css: "section[aria-label^='Details of']" });
      await page.driver.press("Escape");
      await page.gone({ css: "section[aria-label^='Details of']" });
      await page.driver.press("Control+f");
      await page.see({ css: "search input" });
      await page.driver.press("Escape");
      await page.gone({ css: "search input" });
    },
  ],
  [
    "a digit is drawn and sent",
    async (page) => {
      await goTo(page, /^Draw IMAGE/);
      for (let i = 0; i < 6; i++) await page.driver.press("ArrowUp");
      await page.driver.press("Space");
      for (let i = 0; i < 12; i++) await page.driver.press("ArrowDown");
      await page.driver.press("Space");
      await page.driver.press("Control+Enter");
      await page.see({ css: "section[aria-label='Output DIGIT']" }, LOADING_MS);
    },
  ],
  [
    "a file is looked at",
    async (page) => {
      await command(page, "digits");
      await page.see({ css: ".cm-content[aria-label='config.pbtxt']" }); // until then the tabs are those of the model before
      await goTo(page, /^(Config and try|Config|Metrics|Log|Files)$/);
      await goTo(page, /^Files$/, "ArrowRight");
      await page.see(tab(/^Files/));
      await goTo(page, /^config\.pbtxt/);
      await goTo(page, /^labels\.txt/, "ArrowDown");
      await page.driver.press("Enter");
      await page.see({ css: "section[aria-label='labels.txt']" });
      await page.driver.press("Escape");
      await page.gone({ css: "section[aria-label='labels.txt']" });
    },
  ],
  [
    "a new model is made, and the way to choose a file for it is reached",
    async (page, place) => {
      await command(page, "new model");
      await page.see(dialog);
      await goTo(page, /^(Choose|Model file)/, "Shift+Tab");
      await goTo(page, /^my_model|^Name/);
      await page.driver.type("by_keys");
      await page.see({ css: "[role=dialog] button[type=submit]:not(:disabled)" });
      await page.driver.press("Enter");
      await page.gone(dialog);
      await page.until("its config", () => place.read("by_keys/config.pbtxt").length > 0);
      await page.see({ css: "[data-model=by_keys]" }, LOADING_MS);
    },
  ],
  [
    "a model that an ensemble needs is unloaded after the question, and loaded again",
    async (page) => {
      await command(page, "digits");
      await command(page, "unload digits");
      await page.see({ css: "[role=dialog] button:focus" });
      await page.driver.press("Enter");
      await page.see(stateOf("digits", "Unloaded"), LOADING_MS);
      await command(page, "load all models");
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      await page.see(stateOf("read_digit", "Ready"), LOADING_MS);
    },
  ],
  [
    "ranges of time are chosen, and a chart is walked and zoomed",
    async (page) => {
      await command(page, "digits: metrics");
      await page.see({ css: "[aria-label='Metrics of digits']" });
      await goTo(page, /^(15|5) min$/);
      await goTo(page, /^1 h$/, "ArrowRight");
      const chosen = { css: "[role=radio][aria-checked=true], [role=radio][data-state=on]", name: "1 h" };
      await page.driver.press("Enter");
      await page.see(chosen);
      await goTo(page, /requests per second/i);
      await page.driver.press("ArrowLeft");
      await page.driver.press("=");
      await page.see({ css: "button[title^='Show what was shown before']" });
      await page.driver.press("-");
      await page.gone({ css: "button[title^='Show what was shown before']" });
    },
  ],
  [
    "the theme is set in the settings",
    async (page) => {
      await goTo(page, /^Settings/, "Shift+Tab");
      await page.driver.press("Enter");
      await page.see({ role: "menu" });
      // The row of a menu is marked by its colour.
      await page.until("the row of the dark theme", async () => {
        if (/^Theme: dark/.test(await nameInFocus(page))) return true;
        await page.driver.press("ArrowDown");
      });
      await page.driver.press("Enter");
      await page.until("the dark theme", () =>
        page.driver.evaluate("document.documentElement.classList.contains('dark')"),
      );
      await command(page, "theme: light");
    },
  ],
  [
    "a request that takes long is stopped",
    async (page, place) => {
      const config = place.read("add_sub/config.pbtxt");
      place.copy("add_sub", "slow");
      place.write("slow/config.pbtxt", slow(config));
      await page.see(stateOf("slow", "Ready"), LOADING_MS);
      await command(page, "slow");
      await command(page, "slow: try it");
      await page.see({ css: "main button:not(:disabled)", name: /^Send/ }, LOADING_MS);
      await page.driver.press("Control+Enter");
      await page.see({ role: "button", name: /^Stop/ });
      await command(page, "stop the request");
      await page.reads("section[aria-label=Try]", /Stopped/, LOADING_MS);
    },
  ],
  [
    "a repository with code of its own is trusted",
    async (page, place) => {
      await place.distrust(page);
      await page.see(ASKED, LOADING_MS);
      await goTo(page, /^Trust$/);
      await page.driver.press("Enter");
      await page.gone(ASKED);
      await page.see(stateOf("say_digit", "Ready"), LOADING_MS);
    },
  ],
];
