// What the editor knows about configs, as a hand uses it: completion, hover, a fix, renaming across files, the
// outline, the comparison, a template. Each step needs the one before; the first begins with the example repository.
import { retype, squiggled, typedOver } from "./editing.mjs";
import { undo } from "./notices.mjs";

const model = (name) => ({ css: `[data-model="${name}"]` });
const stateOf = (name, word) => ({ css: `[data-model="${name}"] [role=img][aria-label^="${word}"]` });
const option = (label) => ({ css: ".cm-tooltip-autocomplete li", name: new RegExp(`^${label}`) });
const PROBLEMS = "section[aria-label='Problems']";
const LOADING_MS = 30_000;
const BATCH = ["$", "{BATCH}"].join("");

/** Types, and waits until the editor shows it: the page may be behind, and what it lists is about an older text. */
async function typed(page, text, shown) {
  await page.driver.type(text);
  await page.reads(".cm-content", shown);
}

/** Moves down the list until an option is chosen, then takes it. A list that has just opened takes no keys yet. */
async function choose(page, label) {
  let looks = 0;
  await page.until("the list to stand open", async () => (await page.box(option(label))) && ++looks > 5);
  await page.until(`${label} to be chosen`, async () => {
    const chosen = await page.text(".cm-tooltip-autocomplete li[aria-selected]");
    if (chosen.startsWith(label)) return true;
    await page.driver.press("ArrowDown");
    return false;
  });
  await page.driver.press("Enter");
}

/** Puts the cursor behind a text of the editor. */
const cursorBehind = (page, text) => retype(page, { text, old: "", typed: "" });

/** The editor has the focus, and no dialog takes the mouse. */
const editorIsBack = (page) =>
  page.until("the editor to have the focus", () =>
    page.driver.evaluate(
      `document.activeElement.matches(".cm-content") && document.body.style.pointerEvents !== "none"`,
    ),
  );

/** Goes to a part of the config through the outline. */
async function goToPart(page, words) {
  await page.driver.press("Control+Shift+O");
  await page.see({ role: "textbox", name: "Filter the outline" });
  await typedOver(page, words);
  await page.driver.press("Enter");
  await page.gone({ role: "dialog" });
  await editorIsBack(page);
}

/** Whether the field to search in is what one sees at its middle. A page under a dialog takes no clicks, but this field for the moment. */
const SEARCH_ON_TOP = `(() => {
  const field = document.querySelector("search input[aria-label=Find]");
  field.style.pointerEvents = "auto";
  const { x, y, width, height } = field.getBoundingClientRect();
  const seen = document.elementFromPoint(x + width / 2, y + height / 2);
  field.style.pointerEvents = "";
  return seen === field;
})()`;

export const language = [
  [
    "completion offers the models of the repository, and the tensors of the one that was chosen",
    async (page) => {
      await page.see(stateOf("read_digit", "Ready"), LOADING_MS);
      await page.click(model("read_digit"));
      await page.click({ role: "tab", name: "Config" });
      await cursorBehind(page, 'platform: "ensemble"');
      await goToPart(page, "step 2");
      // On a line of its own, so that brackets and quotes are closed as they are typed.
      for (const key of ["Enter", "ArrowUp", "End"]) await page.driver.press(key);
      await typed(page, '{ model_name: "add', /model_name: "add"}/);
      await choose(page, "add_sub");
      await typed(page, ' input_map { key: "', /input_map { key: ""}}/);
      await page.see(option("INPUT0"));
      await choose(page, "INPUT1");
      await page.reads(".cm-content", /model_name: "add_sub"[\s\S]*key: "INPUT1"/);
    },
  ],
  [
    "what was tried is undone, key by key",
    async (page) => {
      const state = () =>
        page.driver.evaluate(`document.querySelector("[aria-label='Edited, not saved']") !== null`);
      for (let i = 0; i < 60 && (await state()); i++) await page.driver.press("Control+z");
      await page.gone({ css: "[data-model='read_digit'] [aria-label='Edited, not saved']" });
    },
  ],
  [
    "hovering a field explains it with this model's numbers",
    async (page) => {
      await page.click(model("digits"));
      await cursorBehind(page, "max_batch_size");
      const box = await page.see({ css: ".cm-line span", name: "max_batch_size" });
      await page.driver.move(box.x + 20, box.y + box.height / 2);
      await page.reads(".cm-tooltip-hover", /FP32 \[-1, 64\][\s\S]*batch of up to 32/);
      await page.driver.move(box.x + 20, box.y + 300);
    },
  ],
  [
    "Ctrl . repairs a data type that lacks its TYPE_",
    async (page) => {
      await retype(page, { text: "data_type: TYPE_FP32", old: "TYPE_FP32", typed: "FP32" });
      await squiggled(page, "FP32");
      await page.driver.press("Escape");
      await page.driver.press("Control+.");
      await page.until("the repaired type", async () =>
        /data_type: TYPE_FP32/.test(await page.text(".cm-content")),
      );
      await page.gone({ css: ".cm-conch-error" });
    },
  ],
  [
    "a change that breaks an ensemble says so where it is made",
    async (page) => {
      await page.click(model("digits_prepare"));
      await retype(page, { text: "dims: [ 64", old: "64", typed: "65" });
      await page.reads(PROBLEMS, /In read_digit, which uses this model/);
      await retype(page, { text: "dims: [ 65", old: "65", typed: "64" });
      await page.gone({ css: "[data-model='digits_prepare'] [aria-label='Edited, not saved']" });
    },
  ],
  [
    "F12 goes to the definition, in another model",
    async (page) => {
      await page.click(model("read_digit"));
      await page.click({ role: "tab", name: "Config" });
      await cursorBehind(page, 'platform: "ensemble"');
      await goToPart(page, "step 2");
      await cursorBehind(page, 'key: "probabilities');
      await page.driver.press("F12");
      await page.see({ css: "[data-model='digits'][aria-selected=true]" });
      await page.until("the definition to be selected", () =>
        page.driver.evaluate(`getSelection().toString() === '"probabilities"'`),
      );
    },
  ],
  [
    "Alt Left goes back to the line that F12 was pressed in, Alt Right to the definition again",
    async (page) => {
      const line = () => page.text(".cm-activeLine");
      await page.driver.press("Alt+ArrowLeft");
      await page.see({ css: "[data-model='read_digit'][aria-selected=true]" });
      await page.until("the line of the step", async () => /key: "probabilities"/.test(await line()));
      await page.click({ role: "button", name: "Forward" });
      await page.see({ css: "[data-model='digits'][aria-selected=true]" });
      await page.until("the line of the definition", async () => /name: "probabilities"/.test(await line()));
      await editorIsBack(page);
    },
  ],
  [
    "Shift F12 lists every place of a name, across files",
    async (page) => {
      await page.driver.press("Shift+F12");
      await page.reads(
        "section[aria-label='Uses']",
        /2 places[\s\S]*digits[\s\S]*read_digit[\s\S]*Taken by step 2/,
      );
      await page.driver.press("Escape");
      await page.gone({ css: "section[aria-label='Uses']" });
      await editorIsBack(page);
    },
  ],
  [
    "F2 renames an output wherever it is used, shows every line first, and writes all files at once",
    async (page, place) => {
      await page.driver.press("F2");
      await page.see({ role: "textbox", name: "New name" });
      await typedOver(page, "scores");
      await page.see({ css: "section[aria-label='read_digit/config.pbtxt']" });
      await page.click({ role: "button", name: /^Rename in 2 lines of 2 files/ });
      await page.until(
        "the new name on disk",
        () =>
          /name: "scores"/.test(place.read("digits/config.pbtxt")) &&
          /key: "scores"/.test(place.read("read_digit/config.pbtxt")),
      );
      await page.gone({ role: "dialog" });
    },
  ],
  [
    "renaming is undone as a whole",
    async (page, place) => {
      await undo(page);
      await page.until(
        "the old name on disk",
        () =>
          /name: "probabilities"/.test(place.read("digits/config.pbtxt")) &&
          /key: "probabilities"/.test(place.read("read_digit/config.pbtxt")),
      );
      await page.see(stateOf("read_digit", "Ready"), LOADING_MS);
    },
  ],
  [
    "file, what Triton fills in and the model file stand side by side",
    async (page) => {
      await page.click({ role: "radio", name: "Compare" });
      await page.reads("section[aria-label='Comparison']", /input image[\s\S]*\[-1, 64\]\s+\[batch, 64\]/);
      await page.click({ role: "radio", name: "Text" });
    },
  ],
  [
    "a dialog lies over the bar in which the config is searched",
    async (page) => {
      await page.click({ css: ".cm-content" });
      await page.driver.press("Control+f");
      await page.see({ css: "search input[aria-label=Find]" });
      await page.click({ role: "button", name: "New model" });
      await page.see({ role: "dialog" });
      if (await page.driver.evaluate(SEARCH_ON_TOP)) throw new Error("the search lies over the dialog");
      await page.driver.press("Escape");
      await page.gone({ role: "dialog" });
      await page.click({ css: "search button[aria-label^=Close]" });
      await page.gone({ css: "search input[aria-label=Find]" });
    },
  ],
  [
    "a template lists its placeholders and is filled in by a form",
    async (page, place) => {
      const config = place.read("digits_prepare/config.pbtxt");
      place.write(
        "digits_prepare/config.pbtxt",
        config.replace("max_batch_size: 32", `max_batch_size: ${BATCH}`).replace("TYPE_UINT8", "{{ type }}"),
      );
      await page.click(model("digits_prepare"));
      await page.click({ role: "button", name: /^Fill in/ });
      await page.reads("[role=dialog]", /BATCH[\s\S]*type[\s\S]*2 placeholders left/);
      await typedOver(page, "32");
      await page.driver.press("Tab");
      await typedOver(page, "TYPE_UINT8");
      await page.reads("[role=dialog]", /All are filled in/);
      await page.click({ css: "[role=dialog] button[type=submit]:not(:disabled)", name: "Fill in and save" });
      await page.until("the filled-in file", () => place.read("digits_prepare/config.pbtxt") === config);
      await page.gone({ role: "dialog" });
      await page.see(stateOf("digits_prepare", "Ready"), LOADING_MS);
    },
  ],
];
