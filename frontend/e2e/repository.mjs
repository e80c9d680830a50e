// What goes beyond one file: a model is renamed, problems of texts that are not saved, the way back, every fix.
import { copyFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { retype, typedOver } from "./editing.mjs";
import { undo } from "./notices.mjs";

const model = (name) => ({ css: `[data-model="${name}"]` });
const stateOf = (name, word) => ({ css: `[data-model="${name}"] [role=img][aria-label^="${word}"]` });
const badge = (name, word) => ({ css: `[data-model="${name}"] [aria-label="${word}"]` });
const STATUS = "footer[aria-label='Status']";
const PROBLEMS = "section[aria-label='Problems']";
const LOADING_MS = 30_000;
const BATCH = ["$", "{BATCH}"].join("");

const MIDDLE = [640, 400];

/** Drags a file or a folder of another program onto the window. */
const dropHere = ({ driver }, path) => (driver.dropPath ?? driver.dragFile)(path, ...MIDDLE);

export const repository = [
  [
    "problems of a text that is not saved are counted everywhere, and those it makes elsewhere",
    async (page) => {
      await page.see(stateOf("read_digit", "Ready"), LOADING_MS);
      await page.reads(STATUS, /No problems/);
      await page.click(model("digits_prepare"));
      await retype(page, { text: "dims: [ 64", old: "64", typed: "65" });
      await page.reads(STATUS, /1 error[\s\S]*1 unsaved text/);
      await page.see(badge("digits_prepare", "1 error"));
    },
  ],
  [
    "the list of all problems has them too, and leads to them",
    async (page) => {
      await page.click({ css: `${STATUS} button` });
      await page.reads("section[aria-label='Problems of digits_prepare/config.pbtxt']", /not saved yet/);
      await page.see({ css: "section[aria-label='Problems of read_digit/config.pbtxt']" });
      await page.driver.press("Alt+ArrowLeft");
      await page.see({ css: ".cm-conch-error" });
      await retype(page, { text: "dims: [ 65", old: "65", typed: "64" });
      await page.reads(STATUS, /No problems/);
      await page.gone(badge("digits_prepare", "1 error"));
    },
  ],
  [
    "a model file that is dropped on the window becomes a model that answers",
    async (page, place) => {
      const file = join(place.dir, "my_sums.onnx");
      copyFileSync(join(place.repository, "add_sub/1/model.onnx"), file);
      await dropHere(page, file);
      await page.see({ css: "#new-model-config" });
      await page.reads("[role=dialog]", /ONNX\s*1\/model\.onnx/);
      await page.click({ role: "button", name: "Create and load" });
      await page.gone({ role: "dialog" });
      await page.see({ ...model("my_sums"), css: "[aria-selected=true]" }, LOADING_MS);
      await page.see(stateOf("my_sums", "Ready"), LOADING_MS);
      await page.click({ role: "button", name: /^Send/ });
      await page.see({ css: "section[aria-label='Output OUTPUT1']" });
    },
  ],
  [
    "the folder of a model that is dropped on the window is copied, and named after its new folder",
    async (page, place) => {
      const folder = join(place.dir, "other repository", "dropped_sums");
      cpSync(join(place.repository, "add_sub"), folder, { recursive: true });
      writeFileSync(join(folder, "notes.txt"), "what its author wrote");
      await dropHere(page, folder);
      await page.see({ css: "#new-model-config" });
      await page.reads("[role=dialog]", /1\/model\.onnx/);
      await page.click({ role: "button", name: "Create and load" });
      await page.gone({ role: "dialog" });
      await page.see({ ...model("dropped_sums"), css: "[aria-selected=true]" }, LOADING_MS);
      await page.see(stateOf("dropped_sums", "Ready"), LOADING_MS);
      if (place.read("dropped_sums/notes.txt") !== "what its author wrote")
        throw new Error("a file is missing");
      if (!place.read("dropped_sums/config.pbtxt").includes('name: "dropped_sums"'))
        throw new Error(`the config reads ${place.read("dropped_sums/config.pbtxt")}`);
    },
  ],
  [
    "a folder without a model is refused with what it lacks, and nothing is made",
    async (page, place) => {
      const folder = join(place.dir, "holiday pictures");
      mkdirSync(folder);
      writeFileSync(join(folder, "beach.txt"), "sand");
      await dropHere(page, folder);
      await page.reads("[role=dialog] [role=alert], [role=dialog] [class*=error]", /holiday pictures|model/);
      await page.driver.press("Escape");
      await page.gone({ role: "dialog" });
      if (existsSync(join(place.repository, "holiday pictures"))) throw new Error("it was made a model");
    },
  ],
  [
    "a folder that appears on disk is told, and loaded",
    async (page, place) => {
      place.copy("my_sums", "more_sums");
      await page.see({ css: "[role=status], [role=alert], li", name: /more_sums was added/ }, LOADING_MS);
      await page.see(stateOf("more_sums", "Ready"), LOADING_MS);
    },
  ],
  [
    "a version that is deleted goes to the trash, the one before serves, and Undo puts it back",
    async (page, place) => {
      cpSync(join(place.repository, "more_sums/1"), join(place.repository, "more_sums/2"), {
        recursive: true,
      });
      await page.click(model("more_sums"));
      await page.click({ role: "tab", name: /^Files/ });
      await page.click({ role: "button", name: "More for 2/model.onnx" }, LOADING_MS);
      await page.click({ role: "menuitem", name: /^Delete version 2/ });
      await page.reads("[role=dialog]", /more_sums\/2[\s\S]*1 file,[\s\S]*model\.onnx[\s\S]*trash/);
      await page.click({ role: "button", name: "Move to the trash" });
      await page.gone({ role: "dialog" });
      await page.gone({ role: "button", name: "More for 2/model.onnx" });
      if (existsSync(join(place.repository, "more_sums/2"))) throw new Error("the version is there still");
      if (!existsSync(join(place.home, "Trash/files/2/model.onnx")))
        throw new Error("it is not in the trash");
      await page.see(stateOf("more_sums", "Ready"), LOADING_MS);
      await undo(page);
      await page.see({ role: "button", name: "More for 2/model.onnx" }, LOADING_MS);
      await page.driver.press("Alt+ArrowLeft");
      await page.see({ css: ".cm-content" });
    },
  ],
  [
    "Delete in the list asks what goes with a model; it is unloaded, and served again after Undo",
    async (page, place) => {
      await page.click(model("more_sums"));
      await page.driver.press("Delete");
      await page.reads("[role=dialog]", /Delete model more_sums\?[\s\S]*3 files[\s\S]*unloaded first/);
      await page.click({ role: "button", name: "Move to the trash" });
      await page.gone(model("more_sums"));
      if (existsSync(join(place.repository, "more_sums"))) throw new Error("the folder is there still");
      await undo(page);
      await page.see(stateOf("more_sums", "Ready"), LOADING_MS);
      await page.reads(STATUS, /No problems/);
    },
  ],
  [
    "before a model is unloaded, the ensembles that stop with it are shown",
    async (page) => {
      await page.click(model("digits"));
      await page.click({ role: "button", name: "Unload" });
      await page.reads("[role=dialog]", /cannot serve until it is loaded again[\s\S]*read_digit/);
      await page.click({ role: "button", name: "Cancel" });
      await page.see(stateOf("digits", "Ready"));
    },
  ],
  [
    "F2 in the list renames a model: what would be written is shown, a name that is taken is refused",
    async (page) => {
      await page.click(model("digits"));
      await page.driver.press("F2");
      await page.see({ role: "textbox", name: "New name" });
      await typedOver(page, "add_sub");
      await page.reads("[role=dialog]", /There is a model "add_sub" already/);
      for (let i = 0; i < "add_sub".length; i++) await page.driver.press("Backspace");
      await typedOver(page, "numbers");
      await page.reads(
        "[role=dialog]",
        /digits\/\s+numbers\/[\s\S]*model_name: "digits"[\s\S]*model_name: "numbers"/,
      );
    },
  ],
  [
    "its folder and every step that runs it follow, and it serves under its new name",
    async (page, place) => {
      await page.click({ role: "button", name: /^Rename the folder, and \d lines? of \d files?$/ });
      await page.gone({ role: "dialog" });
      await page.see({ ...model("numbers"), css: "[aria-selected=true]" });
      await page.gone(model("digits"));
      await page.until("the new name on disk", () =>
        /model_name: "numbers"/.test(place.read("read_digit/config.pbtxt")),
      );
      await page.see(stateOf("numbers", "Ready"), LOADING_MS);
      await page.see(stateOf("read_digit", "Ready"), LOADING_MS);
      await page.reads(".cm-content", /name: "numbers"/);
    },
  ],
  [
    "the renaming is undone as a whole",
    async (page, place) => {
      await undo(page);
      await page.see({ ...model("digits"), css: "[aria-selected=true]" });
      await page.gone(model("numbers"));
      await page.until("the old name on disk", () =>
        /model_name: "digits"/.test(place.read("read_digit/config.pbtxt")),
      );
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      await page.see(stateOf("read_digit", "Ready"), LOADING_MS);
    },
  ],
  [
    "a line of a message that was never closed is repaired at the brace that is to blame",
    async (page) => {
      await retype(page, { text: "dims: [ 64 ]", old: " ]", typed: "" });
      await page.see({ css: ".cm-conch-error" });
      await page.reads(PROBLEMS, /\[/);
      await page.click({ css: `${PROBLEMS} button`, name: /^(Fix|Suggestion): / });
      await page.gone({ css: ".cm-conch-error" });
    },
  ],
  [
    "a misspelt name is repaired from the list",
    async (page) => {
      await page.click(model("digits_prepare"));
      await retype(page, { text: "max_batch_size", old: "ze", typed: "ez" });
      await page.see({ css: ".cm-conch-error" });
      await page.reads(PROBLEMS, /max_batch_siez/); // and not what was said between two keys
      await page.click({ css: `${PROBLEMS} button`, name: /^(Fix|Suggestion): .*max_batch_size/ });
      await page.gone({ css: ".cm-conch-error" });
      await page.gone(badge("digits_prepare", "1 error"));
    },
  ],
  [
    "a model that is told to ask says that its files changed, and takes them on Reload",
    async (page, place) => {
      const changed = { css: "header span", name: "Files changed" };
      const setTo = async (name) => {
        await page.click({ role: "button", name: "More" });
        await page.click({ role: "menuitemcheckbox", name });
        await page.gone({ role: "menu" });
      };
      await page.click(model("add_sub"));
      await setTo("Say when files change");
      const config = place.read("add_sub/config.pbtxt");
      await page.click({ role: "button", name: "More" });
      await page.see({ css: "[role=menuitemcheckbox][aria-checked=true]", name: "Say when files change" });
      await page.driver.press("Escape");
      place.write("add_sub/config.pbtxt", config.replace("size: 8", "size: 4"));
      await page.see(changed);
      await page.click({ role: "button", name: "Reload" });
      await page.gone(changed);
      place.write("add_sub/config.pbtxt", config);
      await page.see(changed);
      await setTo("Load changed files at once");
      await page.click({ role: "button", name: "Reload" });
      await page.gone(changed);
    },
  ],
  [
    "a reload with an endless warm-up says how far it is, and Stop ends it while the model serves on",
    async (page, place) => {
      const config = place.read("add_sub/config.pbtxt");
      const zero = (name) =>
        `inputs { key: "${name}" value { data_type: TYPE_INT32 dims: [ 16 ] zero_data: true } }`;
      const endless = `model_warmup { name: "long" batch_size: 1 count: 40000000 ${zero("INPUT0")} ${zero("INPUT1")} }`;
      await page.click(model("add_sub"));
      place.write("add_sub/config.pbtxt", `${config}\n${endless}\n`);
      await page.reads(
        "header [data-loading]",
        /^Reloading, \d+ s: warming up, run [\d,]+ of 40,000,000\s*$/,
        LOADING_MS,
      );
      const cut = await page.driver.evaluate(
        "[...document.querySelectorAll('header [data-loading] span')].some((e) => e.scrollWidth > e.clientWidth)",
      );
      if (cut) throw new Error("how far it is does not fit");
      await page.click({ role: "button", name: "Stop" });
      await page.gone({ css: "header [data-loading]" });
      await page.see({ css: "header span", name: "Files changed" });
      await page.see(stateOf("add_sub", "Ready"));
      await page.click({ role: "button", name: /^Send/ });
      await page.see({ css: "section[aria-label='Output OUTPUT1']" });
      place.write("add_sub/config.pbtxt", config);
      await page.gone({ css: "header span", name: "Files changed" });
    },
  ],
  [
    "a template is filled in into a new file, and stays",
    async (page, place) => {
      const template = place
        .read("add_sub/config.pbtxt")
        .replace("max_batch_size: 8", `max_batch_size: ${BATCH}`);
      place.write("add_sub/config.pbtxt", template);
      await page.click(model("add_sub"));
      await page.click({ role: "button", name: /^Fill in/ });
      await page.reads("[role=dialog]", /BATCH[\s\S]*1 placeholder left/);
      await typedOver(page, "4");
      await page.reads("[role=dialog]", /All are filled in/);
      await page.click({ css: "[role=dialog] label[class*=target] input" });
      await page.driver.press("Control+a");
      await typedOver(page, "configs/small.pbtxt");
      await page.reads("[role=dialog]", /a new file; the template stays/);
      await page.click({ css: "[role=dialog] button[type=submit]:not(:disabled)" });
      await page.gone({ role: "dialog" });
      await page.until("the new file", () =>
        /max_batch_size: 4/.test(place.read("add_sub/configs/small.pbtxt")),
      );
      if (place.read("add_sub/config.pbtxt") !== template) throw new Error("the template was changed");
    },
  ],
];
