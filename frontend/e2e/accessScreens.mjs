// Every screen of the window: how it is opened, and how it goes away again.
import { deleting } from "./accessDeleting.mjs";
import { at, config, dialog, escaped, menu, tabOf } from "./accessSteps.mjs";
import { chooseRelease } from "./handover.mjs";
import { command, LOADING_MS } from "./handsOnKeys.mjs";

export const overview = at("#/overview", tabOf(/^Overview/));
const editing = async (page) => {
  await config(page);
  await page.click({ css: ".cm-content" });
};

const broken = (config) => config.replace(/dims: \[ ?64/, "dims: [ 63");
/** Breaks the config of digits, and leaves it as it was. */
const withProblem = (show) => async (page, place) => {
  place.kept = place.read(DIGITS);
  place.write(DIGITS, broken(place.kept));
  await page.see({ css: "[data-model=digits] [aria-label$='error']" }, LOADING_MS);
  await show(page);
};
const DIGITS = "digits/config.pbtxt";
const mended = async (page, place) => {
  await page.driver.press("Escape");
  await page.gone({ css: "[role=dialog]" });
  place.write(DIGITS, place.kept);
  await page.gone({ css: "[data-model=digits] [aria-label$='error']" }, LOADING_MS);
};

/** Puts the cursor on the first place of a name, as search does. */
const cursorOn = async (page, name) => {
  await editing(page);
  await page.driver.press("Control+f");
  await page.see({ css: "search input[aria-label=Find]:focus" });
  await page.driver.press("Control+a");
  await page.driver.type(name);
  await page.driver.press("Escape");
  await page.gone({ css: "search input[aria-label=Find]" });
};

// What is seen in the middle of some work.
const more = [
  [
    "a bad expression in the search",
    async (page) => {
      await editing(page);
      await page.driver.press("Control+f");
      await page.click({ role: "button", name: "Regular expression" });
      await page.click({ css: "search input[aria-label=Find]" });
      await page.driver.press("Control+a");
      await page.driver.type("dims(");
      await page.see({ css: "search [role=alert]" });
    },
    async (page) => {
      await page.click({ role: "button", name: "Regular expression" });
      await page.click({ role: "button", name: "Close the search" });
    },
  ],
  [
    "a problem and its card",
    withProblem(async (page) => {
      await editing(page);
      await page.see({ css: ".cm-conch-error" });
      await page.driver.press("F8");
      await page.see({ css: "section[aria-label=Problem]" });
    }),
  ],
  [
    "problems with one in them",
    async (page) => {
      await at("#/problems", tabOf(/^Problems/))(page);
      await page.reads("main", /digits/);
    },
  ],
  [
    "explanation of a rule",
    dialog(async (page) => {
      await config(page);
      await page.click({
        css: "section[aria-label='Problems of the file'] button, button",
        name: /^Explain /,
      });
      await page.see({ css: "[role=dialog] pre" });
    }),
    mended,
  ],
  [
    "a template",
    dialog(async (page, place) => {
      place.kept = place.read(DIGITS);
      place.write(DIGITS, place.kept.replace(/max_batch_size: \d+/, "max_batch_size: {{ batch }}"));
      await config(page);
      await page.click({ role: "button", name: /^Fill in/ }, LOADING_MS);
    }),
    async (page, place) => {
      await mended(page, place);
      await page.gone({ role: "button", name: /^Fill in/ }, LOADING_MS);
    },
  ],
  [
    "unsaved texts",
    dialog(async (page) => {
      await editing(page);
      await page.driver.press("Control+End");
      await page.driver.type("# mine");
      await page.click({ role: "button", name: "1 unsaved text" });
    }),
    async (page) => {
      await page.click({ role: "button", name: /^Discard all/ });
      await page.gone({ role: "button", name: "1 unsaved text" });
      await escaped(page);
    },
  ],
  ...deleting,
  ["the question before unloading", dialog((page) => command(page, "unload digits")), escaped],
  [
    "renaming of a name",
    dialog(async (page) => {
      await cursorOn(page, "image");
      await page.driver.press("F2");
    }),
    escaped,
  ],
  [
    "uses of a name",
    async (page) => {
      await cursorOn(page, "image");
      await page.driver.press("Shift+F12");
      await page.see({ css: "section[aria-label=Uses]" });
    },
    (page) => page.driver.press("Escape"),
  ],
  [
    "context menu",
    async (page) => {
      await page.see({ css: "[data-model=digits]" });
      await page.driver.evaluate(
        "document.querySelector('[data-model=digits]').dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: 60, clientY: 120 })); 1",
      );
      await page.see({ role: "menu" });
    },
    escaped,
  ],
  [
    "an answer",
    async (page) => {
      await at("#/models/add_sub/try", { css: "main button:not(:disabled)", name: /^Send/ })(page);
      await page.driver.press("Control+Enter");
      await page.see({ css: "section[aria-label='Output OUTPUT1']" }, LOADING_MS);
    },
  ],
  [
    "a chosen request",
    async (page) => {
      await at("#/requests", tabOf(/^Requests/))(page);
      await page.click({ css: "ul[aria-label^='Requests'] button" }, LOADING_MS);
      await page.see({ css: "[aria-pressed=true]" });
    },
  ],
  [
    "notices",
    async (page) => {
      await page.click({ role: "button", name: /^Notices/ });
      await page.see({ css: "[role=dialog][aria-label=Notices]" });
    },
    escaped,
  ],
];

// What is opened, how, and how it goes away again where the next screen does not replace it.
export const screens = [
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
  [
    "export",
    dialog(async (page) => {
      await command(page, "hand the repository over");
      await page.see({ css: "[role=dialog] [role=tab]" }, LOADING_MS);
    }),
  ],
  [
    "export with what would not run",
    async (page) => {
      await chooseRelease(page, "24.10");
      await page.see({ css: "[aria-label='What would not run there']" }, LOADING_MS);
    },
  ],
  [
    "export without a storage",
    async (page) => {
      await page.click({ css: "[role=dialog] [role=radio]", name: "Kubernetes" });
      await page.reads("[role=dialog]", /say where the repository is/);
    },
    escaped,
  ],
  ["menu of the engine", menu(/^Engine/, overview), escaped],
  ["settings", menu("Settings"), escaped],
  ["handing over", dialog((page) => command(page, "hand the repository")), escaped],
  ["devices", dialog((page) => command(page, "devices")), escaped],
  ["builds of ONNX Runtime", dialog((page) => command(page, "onnx runtime")), escaped],
  ["Python packages", dialog((page) => command(page, "installed python")), escaped],
  ["processes of a Python model", at("#/models/say_digit/debug", tabOf(/^Debug/))],
  [
    "conversion",
    dialog(async (page) => {
      await config(page);
      await command(page, "convert digits");
    }),
    escaped,
  ],
  ["repositories", menu(/^Repository /), escaped],
  ["menu of a model", menu("More", config), escaped],
  ...more,
];
