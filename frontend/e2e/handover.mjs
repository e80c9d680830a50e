// The repository is handed over: what would not run comes first, the files are written, and an edit by hand stays.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fillIn } from "./editing.mjs";
import { command } from "./handsOnKeys.mjs";

const LOADING_MS = 30_000;
const DIALOG = "[role=dialog]";
const FOLDER = `${DIALOG} [aria-label='Folder to write to']`;
const PACK = `${DIALOG} input[type=checkbox]`;

/** Chooses in the only list of the dialog, as a person does; false while it does not have the release. */
const chosen = (release) => `(() => {
  const list = document.querySelector("${DIALOG} select");
  if (![...(list?.options ?? [])].some(({ value }) => value === "${release}")) return false;
  Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(list, "${release}");
  return list.dispatchEvent(new Event("change", { bubbles: true }));
})()`;

export const chooseRelease = (page, release) =>
  page.until("the releases", () => page.driver.evaluate(chosen(release)));

/** Opens the dialog from the palette, for a release that is too old for one of the examples. */
export async function handOver(page) {
  await command(page, "hand the repository over");
  await chooseRelease(page, "24.10");
  await page.see({ css: "[aria-label='What would not run there']" });
}

const deployed = (place) => join(dirname(place.repository), "deploy");

export const handover = [
  [
    "what would not run with an older release comes first, with the reason",
    async (page) => {
      await page.see({ css: '[data-model="read_digit"] [role=img][aria-label^="Ready"]' }, LOADING_MS);
      await handOver(page);
      await page.reads(
        "[aria-label='What would not run there']",
        /digits_prepare[\s\S]*ONNX Runtime 1\.19\.2/,
      );
      await page.see({ role: "button", name: "Write anyway" });
    },
  ],
  [
    "the files for a newer one are written to a folder",
    async (page, place) => {
      await chooseRelease(page, "24.12");
      await page.reads(DIALOG, /Nothing was found that would not run there/);
      await fillIn(page, FOLDER, deployed(place));
      await page.click({ role: "button", name: "Write the files" });
      await page.reads(DIALOG, /Written: compose\.yaml/);
      if (!existsSync(join(deployed(place), "compose.yaml"))) throw new Error("there is no compose.yaml");
    },
  ],
  [
    "an edit made by hand stays, and where it is in the way is told",
    async (page, place) => {
      const file = join(deployed(place), "compose.yaml");
      const mine = readFileSync(file, "utf8").replace("24.12-py3", "24.12-mine");
      writeFileSync(file, mine);
      await chooseRelease(page, "25.06");
      await page.reads(DIALOG, /tritonserver:25\.06-py3/);
      await page.click({ role: "button", name: "Write the files" });
      await page.see({ css: "[aria-label='Conflicts']" });
      await page.reads("[aria-label='Conflicts']", /24\.12-mine[\s\S]*25\.06-py3/);
      if (readFileSync(file, "utf8") !== mine) throw new Error("the edit is gone");
    },
  ],
  [
    "without an environment there is nothing to pack; with one it is packed into a copy",
    async (page, place) => {
      await page.see({ css: `${PACK}:disabled` });
      await page.reads(DIALOG, /nothing to pack/);
      place.write("say_digit/.venv/lib/python3.12/site-packages/own.py", "KIND = 1\n");
      await chooseRelease(page, "24.12");
      await page.see({ css: `${PACK}:not(:disabled)` });
      await page.reads(DIALOG, /packs the environment of say_digit \(\.venv, 9 B\)/);
      await page.click({ css: PACK });
      await page.reads(DIALOG, /FOLDER\/repository\//);
      const folder = `${deployed(place)}-packed`;
      await fillIn(page, FOLDER, folder);
      await page.click({ role: "button", name: "Write the files" });
      await page.reads(DIALOG, /packed: the environment of say_digit, Python 3\.12/);
      const model = join(folder, "repository", basename(place.repository), "say_digit");
      if (!existsSync(join(model, "environment.tar.gz"))) throw new Error("there is no archive");
    },
  ],
];
