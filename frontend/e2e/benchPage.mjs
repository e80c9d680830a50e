// What the page itself takes, in Chromium: its size, typing in a long config, and a large answer.

import { LOADING_MS as ALL_LOADED_MS, withModels } from "./benchStart.mjs";
import { row } from "./figures.mjs";
import { largeAnswers } from "./largeAnswers.mjs";
import { Page } from "./page.mjs";
import { Workplace } from "./workplace.mjs";

const LOADING_MS = 30_000;
const LINES = 2000;
const KEYS = 100;
const MODELS = 3000;
const FRAME_MS = 1000 / 60;
const ELEMENTS = 25_000_000; // of FP32: 100 MB

/** Prints the rows; open is how the page is opened in Chromium. */
export async function benchPage(open) {
  const place = new Workplace().withoutPrograms();
  place.write("long/config.pbtxt", longConfig());
  place.write("long/1/.keep", "");
  largeAnswers(place, "large_answers");
  const page = new Page(await open(place));
  await page.see({ css: "[data-model='digits']" });
  const { named, fonts, ahead } = await firstView(page);
  row("first view: page, programs, styles, compressed", named / 1000, {
    unit: "KB",
    aim: 350,
    more: `fonts ${Math.round(fonts / 1000)} KB, ahead for later views ${Math.round(ahead / 1000)} KB`,
  });
  const frames = await typing(page);
  const late = frames.filter((ms) => ms > 1.5 * FRAME_MS).length;
  row(`typing in ${LINES} lines: frames that are late`, (100 * late) / frames.length, {
    unit: "%",
    aim: 5,
    more: `${frames.length} frames, the slowest ${Math.max(...frames).toFixed(0)} ms`,
  });
  row("a tensor of 100 MB, from Send to its cells", await largeTensor(page), { unit: "ms", aim: 1000 });
  await page.driver.close();
  place.remove();
  row(`${MODELS} models: the longest task of the page, until all are loaded`, await longestTask(open), {
    unit: "ms",
    aim: 200,
  });
}

/** From the first view on, in milliseconds; nothing is drawn, and no click is taken, while a task runs. */
async function longestTask(open) {
  const place = withModels(MODELS);
  const page = new Page(await open(place));
  await page.reads("main header", new RegExp(`\\b${MODELS + 4} ready`), ALL_LOADED_MS);
  const longest = await page.until("the tasks", () =>
    page.driver.evaluate(`new Promise((resolve) => {
      new PerformanceObserver((list, self) => {
        self.disconnect();
        resolve(Math.max(...list.getEntries().map(({ duration }) => duration)));
      }).observe({ type: "longtask", buffered: true });
      setTimeout(() => resolve(50), 1000); // none was long
    })`),
  );
  await page.driver.close();
  place.remove();
  return longest;
}

/** Bytes as they are sent: of what the page itself names, of fonts, and of what is fetched ahead for later views. */
function firstView(page) {
  return page.driver.evaluate(`(async () => {
    const html = await (await fetch(location.pathname)).text();
    const sizes = { named: performance.getEntriesByType("navigation")[0].encodedBodySize, fonts: 0, ahead: 0 };
    for (const { name, encodedBodySize } of performance.getEntriesByType("resource")) {
      const path = new URL(name).pathname;
      if (!name.startsWith(location.origin) || path === location.pathname || path.startsWith("/api/")) continue;
      const kind = path.endsWith(".woff2") ? "fonts" : html.includes(path) ? "named" : "ahead";
      sizes[kind] += encodedBodySize;
    }
    return sizes;
  })()`);
}

function longConfig() {
  const remarks = Array.from({ length: LINES - 4 }, (_, i) => `# remark ${i}`).join("\n");
  return `backend: "onnxruntime"\nmax_batch_size: 8\n${remarks}\ninput [ { name: "A" data_type: TYPE_FP32 dims: [ 1 ] } ]\n`;
}

/** The times between frames, in milliseconds, while a person types fast. */
async function typing(page) {
  await page.click({ css: "[data-model='long']" });
  await page.reads(".cm-content", /backend/, LOADING_MS);
  await page.click({ css: ".cm-line" });
  await page.driver.press("End");
  await page.driver.press("Enter");
  await page.driver.evaluate(`(() => {
    window.conchFrames = [];
    let last = performance.now();
    const look = (now) => { window.conchFrames.push(now - last); last = now; window.conchLook = requestAnimationFrame(look); };
    window.conchLook = requestAnimationFrame(look);
  })()`);
  await page.driver.type("# typed ".repeat(KEYS / 8), { delay: 50 });
  return page.driver.evaluate("cancelAnimationFrame(window.conchLook), window.conchFrames.slice(1)");
}

/** From the click on Send until cells of the answer are painted, in milliseconds. */
async function largeTensor(page) {
  await page.see({ css: `[data-model="large_answers"] [role=img][aria-label^="Ready"]` }, LOADING_MS);
  await page.click({ css: "[data-model='large_answers']" });
  await page.see({ css: "[aria-label='Values of SHAPE']" });
  await page.driver.evaluate(`(() => {
    const field = document.querySelector("[aria-label='Values of SHAPE']");
    const type = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(type.prototype, "value").set.call(field, "${ELEMENTS}");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  })()`);
  await page.until("Send", () =>
    page.driver.evaluate(`(() => {
    const send = [...document.querySelectorAll("button")].find((e) => /^Send/.test(e.textContent) && !e.disabled);
    if (!send) return false;
    const begin = performance.now();
    const look = () => {
      const shown = document.querySelector("section[aria-label='Response'] section[aria-label^='Output '] td");
      if (shown) requestAnimationFrame(() => { window.conchShown = performance.now() - begin; });
      else requestAnimationFrame(look);
    };
    send.click();
    look();
    return true;
  })()`),
  );
  return page.until("the cells", () => page.driver.evaluate("window.conchShown"), LOADING_MS);
}
