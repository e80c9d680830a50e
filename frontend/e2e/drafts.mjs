// What is typed and not saved: it outlives the program, stays in its repository, and can be thrown away and brought back.
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { retype, typedOver } from "./editing.mjs";
import { command } from "./handsOnKeys.mjs";
import { undo } from "./notices.mjs";
import { Page } from "./page.mjs";
import { findWorkbench } from "./processes.mjs";

const model = (name) => ({ css: `[data-model="${name}"]` });
const stateOf = (name, word) => ({ css: `[data-model="${name}"] [role=img][aria-label^="${word}"]` });
const STATUS = "footer[aria-label='Status']";
const LOADING_MS = 30_000;
const CONFIG = "digits/config.pbtxt";

/** Waits until a text is written in the data folder. How soon it is there is tested with a clock of its own, in app/overlay. */
export const kept = (page, place, text) =>
  page.until(`${text} in the data folder`, () =>
    readdirSync(place.data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .some((entry) => holds(join(entry.parentPath, entry.name), text)),
  );

function holds(file, text) {
  try {
    return readFileSync(file).includes(text);
  } catch {
    return false; // it was just removed
  }
}

async function showConfig(page) {
  await page.see(stateOf("digits", "Ready"), LOADING_MS);
  await page.click(model("digits"));
  await page.reads(".cm-content", /backend/);
}

/** Opens another folder, as a person does from the palette. */
async function openOther(page, folder) {
  await command(page, "open another repository");
  await page.see({ role: "textbox", name: "Folder" });
  await typedOver(page, folder);
  await page.click({ role: "button", name: "Open" });
  await page.gone({ role: "dialog" });
}

export const drafts = [
  [
    "what was typed is back after everything was killed, and it is said so",
    async (page, place) => {
      await showConfig(page);
      await retype(page, { text: "max_batch_size: 32", old: "32", typed: "321" });
      await page.reads(STATUS, /1 unsaved text/);
      await kept(page, place, "max_batch_size: 321");
      await page.kill();
      await page.reads(
        "main [role=status]",
        /Unsaved changes in 1 file were brought back[\s\S]*digits\/config\.pbtxt/,
        LOADING_MS,
      );
      await showConfig(page);
      await page.reads(".cm-content", /max_batch_size: 321/);
      await page.see({ role: "img", name: "Edited, not saved" });
    },
  ],
  [
    "another repository with the same models has nothing of it, and is not written into",
    async (page, place) => {
      const other = join(place.dir, "other");
      cpSync(place.repository, other, { recursive: true });
      await openOther(page, other);
      await page.gone({ role: "img", name: "Edited, not saved" });
      await showConfig(page);
      await page.reads(".cm-content", /max_batch_size: 32\b/);
      await page.driver.press("Control+s");
      await openOther(page, place.repository);
      await showConfig(page);
      await page.reads(".cm-content", /max_batch_size: 321/);
      for (const folder of [place.repository, other])
        if (/321/.test(place.read(join(folder, CONFIG)))) throw new Error(`it was saved into ${folder}`);
    },
  ],
  [
    "discarding it can be taken back",
    async (page) => {
      await page.click({ role: "button", name: "1 unsaved text" });
      await page.click({ role: "button", name: `Discard ${CONFIG}` });
      await page.reads("[role=dialog]", /Everything is saved/);
      await page.driver.press("Escape");
      await page.gone({ role: "dialog" });
      await page.reads(".cm-content", /max_batch_size: 32\b/);
      await undo(page);
      await page.reads(".cm-content", /max_batch_size: 321/);
    },
  ],
  [
    "a file that changed on disk meanwhile asks, after another kill",
    async (page, place) => {
      await retype(page, { text: "max_batch_size: 321", old: "321", typed: "322" });
      await kept(page, place, "max_batch_size: 322");
      await page.kill(() => place.write(CONFIG, `# changed meanwhile\n${place.read(CONFIG)}`));
      await showConfig(page);
      await page.reads("[role=alert]", /config\.pbtxt changed on disk while it was edited here/);
      await page.reads(".cm-content", /max_batch_size: 322/);
      await page.click({ role: "button", name: "Overwrite the file" });
      await page.gone({ role: "img", name: "Edited, not saved" });
      if (!/max_batch_size: 322/.test(place.read(CONFIG))) throw new Error("it was not saved");
    },
  ],
  [
    "a text with other problems than the file is discarded while it is shown",
    async (page) => {
      await page.click(model("add_sub"));
      await page.reads(".cm-content", /TYPE_INT32/);
      await retype(page, { text: "TYPE_INT32", old: "32", typed: "99" });
      await page.reads(STATUS, /1 unsaved text/);
      await page.reads(STATUS, /[1-9]\d* error/);
      await page.click({ role: "button", name: "1 unsaved text" });
      await page.click({ role: "button", name: "Discard add_sub/config.pbtxt" });
      await page.reads("[role=dialog]", /Everything is saved/);
      await page.driver.press("Escape");
      await page.gone({ role: "dialog" });
      await page.gone({ role: "img", name: "Edited, not saved" });
      await page.reads(STATUS, /No problems/);
      await page.reads(".cm-content", /^(?![\s\S]*TYPE_INT99)[\s\S]*TYPE_INT32/);
      await page.gone({ css: ".cm-conch-error" });
    },
  ],
  [
    "a tab that only shows a file follows another one, and asks nothing",
    async (page, place) => {
      if (!page.driver.tab) page.skip("the window has no tabs");
      const config = "digits_prepare/config.pbtxt";
      await page.click(model("digits_prepare"));
      await page.reads(".cm-content", /dims: \[ 64/);
      await page.driver.evaluate(
        `window.conchAsked = [];
         new MutationObserver(() => {
           for (const e of document.querySelectorAll("[role=alert]"))
             if (/another window/.test(e.textContent)) window.conchAsked.push(e.textContent);
         }).observe(document.body, { subtree: true, childList: true, characterData: true })`,
      );
      const other = new Page(await page.driver.tab());
      try {
        await other.click(model("digits_prepare"));
        await other.reads(".cm-content", /dims: \[ 64/);
        await retype(other, { text: "max_batch_size: 32", old: "32", typed: "" });
        await other.driver.type("64 # a note for later", { delay: 90 });
        await page.reads(".cm-content", /max_batch_size: 64 # a note for later/);
        await other.driver.press("Control+s");
        await other.gone({ role: "img", name: "Edited, not saved" });
        await page.gone({ role: "img", name: "Edited, not saved" });
        await page.reads(".cm-content", /max_batch_size: 64 # a note for later/);
        await other.reads(".cm-content", /max_batch_size: 64 # a note for later/);
      } finally {
        await other.driver.close();
      }
      const asked = await page.driver.evaluate("window.conchAsked");
      if (asked.length > 0) throw new Error(`it asked: ${asked[0]}`);
      if (!/max_batch_size: 64 # a note for later/.test(place.read(config)))
        throw new Error("it was not saved");
    },
  ],
  [
    "a tab that is left while the app answers nothing leaves its last key",
    async (page) => {
      if (!page.driver.tab) page.skip("the window has no tabs");
      const config = ".cm-content";
      await page.click(model("digits_prepare"));
      await page.reads(config, /max_batch_size: 64/);
      const other = new Page(await page.driver.tab());
      await other.click(model("digits_prepare"));
      await other.reads(config, /max_batch_size: 64/);
      await retype(other, { text: "max_batch_size: 64", old: "64", typed: "6" });
      await page.reads(config, /max_batch_size: 6\b/);
      const workbench = findWorkbench(page.driver.pid);
      process.kill(workbench, "SIGSTOP");
      try {
        await other.driver.type("57"); // the first key's question is on its way, the second key waits
        await other.driver.leave();
      } finally {
        process.kill(workbench, "SIGCONT");
      }
      await page.reads(config, /max_batch_size: 657/);
      await other.driver.close();
    },
  ],
];
