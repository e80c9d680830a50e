// The end that the system asks for: the terminal is closed, and nothing is lost.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kept } from "./drafts.mjs";
import { retype } from "./editing.mjs";
import { descendants, findEngine } from "./processes.mjs";

const model = (name) => ({ css: `[data-model="${name}"]` });
const stateOf = (name, word) => ({ css: `[data-model="${name}"] [role=img][aria-label^="${word}"]` });
const LOADING_MS = 30_000;
/** app/overlay, Usual. */
const LARGEST_KEPT = 8 << 20;

/** The libraries that a process has loaded. */
const loaded = (pid) => readFileSync(`/proc/${pid}/maps`, "utf8");

export const ends = [
  [
    "no process of the window loads what it does not use: the engine no web view, nothing a voice, and without a GPU nothing loads Mesa",
    async (page) => {
      if (!page.driver.crash) page.skip("the libraries are the browser's");
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      const engine = findEngine(page.driver.pid);
      if (/libwebkit|libgtk/.test(loaded(engine))) throw new Error("the engine has loaded the web view");
      const views = descendants(page.driver.pid).filter((pid) => /libwebkit/.test(loaded(pid)));
      if (views.length < 3) throw new Error(`${views.length} processes have the web view`);
      const voices = views.flatMap((pid) => loaded(pid).match(/\S*libflite\S*/g) ?? []);
      if (voices.some((path) => !path.includes("/mute/"))) throw new Error("a voice is loaded");
      const gpu =
        existsSync("/dev/dri") && readdirSync("/dev/dri").some((name) => name.startsWith("renderD"));
      if (!gpu && views.some((pid) => /LLVM|swrast/.test(loaded(pid)))) throw new Error("Mesa is loaded");
    },
  ],
  [
    "the page follows the settings of the desktop: animations (in the window)",
    async (page, place) => {
      if (!page.driver.crash) page.skip("the desktop is the browser's");
      const still = () => page.driver.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches");
      if (await still()) throw new Error("there are no animations at first");
      const config = join(place.dir, "config");
      mkdirSync(join(config, "gtk-3.0"), { recursive: true });
      writeFileSync(join(config, "gtk-3.0/settings.ini"), "[Settings]\ngtk-enable-animations=0\n");
      place.more = { XDG_CONFIG_HOME: config };
      await page.reopen();
      await page.until("no animations", still);
      place.more = {};
      await page.reopen();
      await page.until("animations again", async () => !(await still()));
    },
  ],
  [
    "a page whose own process dies is loaded again, with what was typed (in the window)",
    async (page, place) => {
      if (!page.driver.crash) page.skip("a browser offers to load the tab again");
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      await page.click(model("digits"));
      await page.reads(".cm-content", /max_batch_size: 32\b/);
      await retype(page, { text: "max_batch_size: 32", old: "2", typed: "1" });
      await kept(page, place, "max_batch_size: 31");
      await page.driver.crash();
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      await page.reads(".cm-content", /max_batch_size: 31\b/);
      await retype(page, { text: "max_batch_size: 31", old: "1", typed: "2" });
    },
  ],
  [
    "a closed terminal ends it in good order, right after a key: the engine ends too, and no folder stays",
    async (page, place) => {
      await page.see(stateOf("add_sub", "Ready"), LOADING_MS);
      await page.click(model("add_sub"));
      await page.click({ css: "button:not(:disabled)", name: /^Send/ });
      await page.see({ css: "section[aria-label='Output OUTPUT1']" });
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      await page.click(model("digits"));
      await page.reads(".cm-content", /max_batch_size: 32\b/);
      const engine = findEngine(page.driver.pid);
      await retype(page, { text: "max_batch_size: 32", old: "2", typed: "" }); // one key, which the app knows then
      await page.reads("footer[aria-label='Status']", /1 unsaved text/);
      const code = await page.hangUp(() => {
        if (existsSync(`/proc/${engine}`)) throw new Error("the engine runs on");
        const left = readdirSync(page.driver.runtime ?? place.runtime).filter((name) =>
          name.startsWith("conch"),
        );
        if (left.length > 0) throw new Error(`left in the folder for running programs: ${left}`);
      });
      if (code !== 0) throw new Error(`it ended with ${code}`);
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
    },
  ],
  [
    "what was typed and what was answered is there at the next start",
    async (page) => {
      await page.click(model("digits"));
      await page.reads(".cm-content", /max_batch_size: 3\b/);
      await page.see({ role: "img", name: "Edited, not saved" });
      await page.click(model("add_sub"));
      await page.see({ css: "section[aria-label='Output OUTPUT1']" });
    },
  ],
  [
    "the window asks before it drops a text that is too large to be kept (in the window)",
    async (page, place) => {
      if (!page.driver.quit) page.skip("a browser asks by itself");
      const config = "digits_prepare/config.pbtxt";
      const text = place.read(config).padEnd(LARGEST_KEPT, `# ${"-".repeat(61)}\n`);
      place.write(config, text);
      await page.click(model("digits_prepare"));
      await page.click({ css: ".cm-line" }, LOADING_MS);
      await page.driver.press("Control+Home");
      await page.driver.type("#");
      await page.reads("main", /This text is lost when the window is closed/, LOADING_MS);
      await page.driver.quit();
      await page.driver.answerQuestion(false);
      await page.reads(".cm-content", /^##/);
      await page.click({ css: ".cm-line" });
      await page.driver.press("Control+Home");
      await page.driver.press("Delete");
      await page.until(
        "nothing to be lost",
        async () => !/This text is lost/.test(await page.text("main")),
        LOADING_MS,
      );
      await page.driver.quit();
      const code = await page.driver.ended();
      if (code !== 0) throw new Error(`it ended with ${code}`);
      await page.reopen();
    },
  ],
];
