// An ONNX model becomes FP16 and INT8: what that costs is seen before anything is written, and what is not written leaves nothing.
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { violations } from "./axe.mjs";
import { planWithProfiles } from "./convertPlan.mjs";
import { command } from "./handsOnKeys.mjs";
import { pictures } from "./pictures.mjs";

const LOADING_MS = 30_000;
const CONVERTING_MS = 120_000;
const DIALOG = "[role=dialog]";
const REPORT = "[aria-label='What it costs and gains']";

const button = (name) => ({ role: "button", name });
const model = (place) => join(place.repository, "digits");

/** Sends a request, which is saved, and opens the dialog from the palette. */
export async function openConversion(page) {
  await page.see({ css: '[data-model="digits"] [role=img][aria-label^="Ready"]' }, LOADING_MS);
  await page.click({ css: '[data-model="digits"]' });
  await page.click({ role: "radio", name: "Random" });
  await page.click({ role: "button", name: /^Send/ });
  await page.reads("section[aria-label='Response']", /probabilities/, LOADING_MS);
  await askToConvert(page);
}

async function askToConvert(page) {
  await command(page, "convert digits");
  await page.see(button("Convert and compare"), CONVERTING_MS);
}

/** Converts with the choice as it is, to the report. */
export async function convertAndCompare(page) {
  await page.click(button("Convert and compare"));
  const why = () => page.text(`${DIALOG} [role=alert]`);
  await page.until(
    "the report, or why there is none",
    async () => (await page.box({ css: REPORT })) || (await why()),
    CONVERTING_MS,
  );
  if (await why()) throw new Error(`there is no report: ${await why()}`);
}

/** Chooses what a request is compared with. */
async function choose(page, label) {
  const found = `[...document.querySelectorAll("${DIALOG} option")].find((one) => one.textContent === ${JSON.stringify(label)})`;
  await page.until(`the choice ${label}`, () => page.driver.evaluate(`${found} !== undefined`));
  await page.driver.evaluate(`(() => {
    const select = document.querySelector("${DIALOG} select");
    Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(select, ${found}.value);
    select.dispatchEvent(new Event("change", { bubbles: true }));
  })()`);
}

/** Whether the times of a comparison are seen beside the longest name of a model. */
const timesFit = `(() => {
  const table = document.querySelector("[aria-label='Times']");
  table.querySelector("th").firstChild.data = "m".repeat(200);
  const { right } = [...table.querySelectorAll("td")].at(-1).getBoundingClientRect();
  return right < table.closest("${DIALOG}").getBoundingClientRect().right;
})()`;

const conversions = (place) => {
  const dir = join(place.data, "conversions");
  return existsSync(dir) ? readdirSync(dir) : [];
};

const box = (name) => ({ css: `${DIALOG} label`, name });

export const convert = [
  [
    "who has sent nothing compares on random values, and on requests that are written there",
    async (page) => {
      await page.see({ css: '[data-model="digits"] [role=img][aria-label^="Ready"]' }, LOADING_MS);
      await page.click({ css: '[data-model="digits"]' });
      await askToConvert(page);
      await page.reads(DIALOG, /Without a request nothing is compared/);
      await page.click(box("Random values"));
      await page.click(box("Written here"));
      await page.click({ css: `${DIALOG} textarea` });
      const data = Array.from({ length: 128 }, (_, i) => i % 17).join(",");
      await page.driver.type(
        `[{"inputs":[{"name":"image","datatype":"FP32","shape":[2,64],"data":[${data}]}]}]`,
      );
      await pictures(page, "convert-requests");
      const found = await violations(page);
      if (found.length > 0) throw new Error(found.join("\n     "));
      await page.click({ role: "radio", name: "INT8" });
      await page.reads(DIALOG, /with ranges taken from the requests/);
      await convertAndCompare(page);
      await page.reads(REPORT, /with 9 requests[\s\S]*probabilities[\s\S]* of 10/);
      await pictures(page, "convert-report");
      await page.click(button("Discard"));
      await page.driver.press("Escape");
      await page.gone({ css: DIALOG });
    },
  ],
  [
    "FP16: size, time and precision are seen before anything is written",
    async (page, place) => {
      await openConversion(page);
      await page.see({ css: `${DIALOG} textarea` }); // what was written is there still
      await page.click(button("Start over"));
      await page.gone({ css: `${DIALOG} textarea` });
      await page.reads(DIALOG, /1 request sent in Try/);
      await convertAndCompare(page);
      await page.reads(REPORT, /Size[\s\S]*smaller[\s\S]*probabilities[\s\S]*1 of 1/);
      await page.reads(REPORT, /Version 2 is served[\s\S]*version 1 is not served any more/);
      if (existsSync(join(model(place), "2"))) throw new Error("it was written without being asked");
    },
  ],
  [
    "the report waits while the dialog is closed, and a version that came meanwhile takes its number",
    async (page, place) => {
      await page.driver.press("Escape");
      await page.gone({ css: DIALOG });
      mkdirSync(join(model(place), "2"));
      await command(page, "convert digits");
      await page.reads(REPORT, /probabilities[\s\S]*1 of 1/, CONVERTING_MS);
      await page.see(button("Write version 3 of digits"));
      rmSync(join(model(place), "2"), { recursive: true });
      await page.click(button("Write version 3 of digits"));
      await page.reads(`${DIALOG} [role=alert]`, /not version 3 any more but version 2/i);
      await page.see(button("Write version 2 of digits"));
      if (conversions(place).length !== 1) throw new Error("it does not wait");
    },
  ],
  [
    "what is discarded leaves nothing",
    async (page, place) => {
      await page.click(button("Discard"));
      await page.see(button("Convert and compare"));
      await page.until("the folder is gone", () => conversions(place).length === 0);
    },
  ],
  [
    "INT8 is calibrated on the saved request, and becomes version 2, which serves",
    async (page, place) => {
      await page.click({ role: "radio", name: "INT8" });
      await page.reads(DIALOG, /with ranges taken from the requests/);
      await convertAndCompare(page);
      await page.click(button("Write version 2 of digits"));
      await page.gone({ css: DIALOG });
      await page.until("the new version", () => existsSync(join(model(place), "2", "model.onnx")));
      await page.reads("[data-model='digits']", /v2|Version 2|2/);
      await page.until("nothing is left", () => conversions(place).length === 0);
    },
  ],
  [
    "TensorRT is missing here, and the dialog says what to do",
    async (page) => {
      await askToConvert(page);
      await page.click({ role: "radio", name: "TensorRT" });
      await page.reads(DIALOG, /TensorRT is not installed[\s\S]*NVIDIA GPU/);
      await page.driver.press("Escape");
      await page.gone({ css: DIALOG });
    },
  ],
  [
    "one request goes to two versions: how far the answers agree, and how long each takes",
    async (page, place) => {
      const config = place.read("digits/config.pbtxt");
      place.write("digits/config.pbtxt", `${config}\nversion_policy: { all {} }\n`);
      await page.see({ css: '[data-model="digits"]', name: /2 versions|v1|Ready/ }, LOADING_MS);
      await page.click({ role: "tab", name: "Config and try" });
      await page.click({ role: "button", name: /^Send/ });
      await page.click(button("Compare…"));
      await page.until("the other version to be offered alone", () =>
        page.driver.evaluate(
          `[...document.querySelectorAll("${DIALOG} option")].filter(({ label }) => label.startsWith("digits, version")).map(({ label }) => label).join() === "digits, version 1"`,
        ),
      );
      await page.click(button("Compare"));
      await page.reads("[aria-label='Comparison']", /digits, version 2[\s\S]*digits, version 1/, LOADING_MS);
      await page.reads("[aria-label='How far the answers agree']", /probabilities[\s\S]*of 1/);
      await page.reads(
        DIALOG,
        /CUDA and TensorRT are not offered\. [\s\S]*other models do not take this request/,
      );
      if (!(await page.driver.evaluate(timesFit))) throw new Error("a long name hides the times");
      await page.driver.press("Escape");
      await page.gone({ css: DIALOG });
    },
  ],
  [
    "one request goes to one model on two providers, and the repository stays as it is",
    async (page, place) => {
      const before = readdirSync(place.repository);
      await page.click(button("Compare…"));
      await choose(page, "digits on CPU, graph not optimized");
      await page.click(button("Compare"));
      await page.reads(
        "[aria-label='Comparison']",
        /ONNX Runtime on CPU[\s\S]*ONNX Runtime on CPU, graph not optimized/,
        LOADING_MS,
      );
      await page.reads("[aria-label='How far the answers agree']", /probabilities[\s\S]*1 of 1/);
      await page.driver.press("Escape");
      await page.gone({ css: DIALOG });
      const after = readdirSync(place.repository);
      if (after.join() !== before.join()) throw new Error(`the repository has ${after}`);
    },
  ],
  [
    "the devices tell which models hold how much",
    async (page) => {
      await command(page, "devices");
      await page.reads(DIALOG, /Processor[\s\S]*are free[\s\S]*digits/);
      await page.driver.press("Escape");
      await page.gone({ css: DIALOG });
    },
  ],
  planWithProfiles,
];
