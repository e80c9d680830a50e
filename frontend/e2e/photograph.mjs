// Pictures of every screen, light and dark, in Chromium and in the real window: to be looked at, hard.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertAndCompare, openConversion } from "./convert.mjs";
import { retype } from "./editing.mjs";
import { Page } from "./page.mjs";
import { Workplace } from "./workplace.mjs";

const model = (name) => ({ css: `[data-model="${name}"]` });
const tab = (name) => ({ role: "tab", name });
const ready = (name) => ({ css: `[data-model="${name}"] [role=img][aria-label^="Ready"]` });

// What to do before each picture; they follow one another.
const shots = [
  ["overview", (page) => page.see(ready("read_digit"), 30_000)],
  ["model", (page) => page.click(model("digits"))],
  [
    "completion",
    async (page) => {
      await retype(page, { text: "data_type: TYPE_FP32", old: "TYPE_FP32", typed: "TYPE" });
      await page.see({ css: ".cm-tooltip-autocomplete li" });
    },
  ],
  [
    "hover",
    async (page) => {
      await page.driver.press("Escape");
      // How much one undo takes back depends on how fast the text was typed.
      await page.until("the text as it was", async () => {
        if (await page.box({ css: "button:disabled", name: /^Save/ })) return true;
        await page.driver.press("Control+z");
        return false;
      });
      await page.gone({ css: ".cm-conch-error" });
      const box = await page.see({ css: ".cm-line span", name: "max_batch_size" });
      await page.driver.move(box.x + 20, box.y + box.height / 2);
      await page.see({ css: ".cm-tooltip-hover" });
    },
  ],
  [
    "uses",
    async (page) => {
      await retype(page, { text: 'name: "probabilities', old: "", typed: "" });
      await page.driver.press("Shift+F12");
      await page.see({ css: "section[aria-label='Uses']" });
    },
  ],
  [
    "outline",
    async (page) => {
      await page.click({ role: "button", name: "Close the list of uses" });
      await page.click({ role: "button", name: "Outline" });
      await page.see({ role: "dialog" });
    },
  ],
  [
    "problem",
    async (page) => {
      await page.driver.press("Escape");
      await page.gone({ role: "dialog" });
      await retype(page, { text: "dims: [ 64", old: "64", typed: "63" });
      await page.see({ css: ".cm-conch-error" });
      const box = await page.box({ css: ".cm-conch-error" });
      await page.driver.move(box.x + box.width / 2, box.y + box.height / 2);
    },
  ],
  [
    "unsaved",
    async (page) => {
      await page.click({ css: "footer[aria-label='Status'] button" });
      await page.see({ css: "section[aria-label='Problems of read_digit/config.pbtxt']" });
    },
  ],
  [
    "compare",
    async (page) => {
      await page.click(model("digits"));
      await page.click({ role: "radio", name: "Compare" });
      await page.see({ css: "section[aria-label='Comparison']" });
    },
  ],
  [
    "rename",
    async (page) => {
      await page.click({ role: "radio", name: "Text" });
      await page.click(model("digits"));
      await page.driver.press("F2");
      await page.see({ role: "textbox", name: "New name" });
      await page.driver.type("numbers");
      await page.see({ css: "section[aria-label='read_digit/config.pbtxt']" });
    },
  ],
  [
    "template",
    async (page, place) => {
      await page.driver.press("Escape");
      await page.gone({ role: "dialog" });
      const config = place.read("add_sub/config.pbtxt");
      const batch = ["$", "{BATCH}"].join("");
      place.write(
        "add_sub/config.pbtxt",
        config.replace("size: 8", `size: ${batch}`).replace("TYPE_INT32", "{{ type }}"),
      );
      await page.click(model("add_sub"));
      await page.click({ role: "button", name: /^Fill in/ });
      await page.reads("[role=dialog]", /BATCH/);
      await page.driver.type("8");
      place.write("add_sub/config.pbtxt", config);
    },
  ],
  [
    "ensemble",
    async (page) => {
      await page.driver.press("Escape");
      await page.gone({ role: "dialog" });
      await page.click(model("read_digit"));
      await page.driver.evaluate(
        "document.querySelectorAll('[aria-label=Dismiss]').forEach((b) => b.click())",
      );
    },
  ],
  [
    "answer",
    async (page) => {
      const stroke = [
        [0.32, 0.25],
        [0.5, 0.17],
        [0.64, 0.28],
        [0.45, 0.45],
        [0.66, 0.6],
        [0.54, 0.79],
        [0.32, 0.71],
      ];
      await page.draw({ role: "img", name: "Draw IMAGE" }, [stroke]);
      await page.driver.press("Control+Enter");
      await page.see({ css: "section[aria-label='Output DIGIT']" });
    },
  ],
  [
    "timeline",
    async (page) => {
      await page.click({ role: "button", name: "Timeline" });
      await page.click({ css: "label", name: "Keep the tensors between steps" });
      await page.see({ css: "label input:checked" });
      await page.driver.press("Control+Enter");
      await page.click({ role: "button", name: /^Step 1 · digits_prepare/ });
      await page.see({ css: "section[aria-label='prepared given by digits_prepare']" });
      await page.click({ css: "[aria-label='Graph of read_digit'] *", name: /^prepared/ });
    },
  ],
  [
    "metrics",
    async (page) => {
      await page.click(tab("Metrics"));
      await page.reads("[aria-label='Metrics of read_digit']", /p50 [\d.]/);
    },
  ],
  ["files", (page) => page.click(tab("Files"))],
  ["log", (page) => page.click(tab("Log"))],
  [
    "requests",
    async (page) => {
      await page.click({ role: "button", name: "Conch: show the repository" });
      await page.click(tab("Requests"));
    },
  ],
  ["problems", (page) => page.click({ role: "tab", name: /^Problems/ })],
  ["palette", (page) => page.driver.press("Control+k")],
  [
    "convert",
    async (page) => {
      await page.driver.press("Escape");
      await page.gone({ css: "[cmdk-input]" });
      await page.click(model("digits"));
      await page.click(tab("Config and try")); // the tab of the model before is kept
      await openConversion(page);
    },
  ],
  ["convert-report", convertAndCompare],
  [
    "convert-tensorrt",
    async (page) => {
      await page.click({ role: "button", name: "Discard" });
      await page.click({ role: "radio", name: "TensorRT" });
    },
  ],
];

/** Takes all pictures; in the window only in light, its theme follows the desktop's. */
export async function photograph({ inBrowser, inWindow, pictures }) {
  await series(inBrowser, { name: "light", pictures });
  await series(inBrowser, { name: "dark", pictures, dark: true });
  await series(inWindow, { name: "window", pictures });
  console.log(`pictures are in ${pictures}`);
  return true;
}

/** Takes all pictures; name tells one series from another. */
async function series(open, { name, pictures, dark = false }) {
  const place = new Workplace(join(tmpdir(), "models"));
  const driver = await open(place, { dark });
  const page = new Page(driver);
  for (const [shot, prepare] of shots) {
    await prepare(page, place).catch(async (error) => {
      await driver.screenshot(join(pictures, `failure-${shot}-${name}.png`));
      throw error;
    });
    await new Promise((resolve) => setTimeout(resolve, 700)); // tooltips and charts settle
    await driver.screenshot(join(pictures, `${shot}-${name}.png`));
  }
  await driver.close();
  place.remove();
}
