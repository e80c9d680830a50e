// From the start of the program until a model among many is open and its config is drawn. The page itself opens the model,
// in the first frame that shows its row, and takes the times: the questions of a driver from outside would count too.
import { median, row } from "./figures.mjs";
import { Page } from "./page.mjs";
import { Workplace } from "./workplace.mjs";

const RUNS = 3;
/** A repository of thousands is loaded after its window is usable. */
export const LOADING_MS = 60_000;
const MODEL = "model_0003";

// Runs in the page. It notes when the row is there, when it was opened, and when its config was drawn.
const OPEN = `(() => {
  if (window.conchStart) return 1;
  const at = (window.conchStart = {});
  const look = () => {
    const row = document.querySelector("[data-model='${MODEL}']");
    if (row && !at.row) {
      at.row = performance.now();
      requestAnimationFrame(() => { at.opened = performance.now(); row.click(); });
    }
    const text = document.querySelector(".cm-content")?.textContent ?? "";
    if (!at.opened || !text.includes("INPUT0")) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => { at.drawn = performance.now(); }));
  };
  look();
  return 1;
})()`;

/** Prints the row of a repository with so many models beside the examples. */
export async function benchStart(open, count, aim) {
  const runs = [];
  for (let i = 0; i < RUNS; i++) runs.push(await startOnce(open, count));
  const of = (what) => median(runs.map((run) => run[what]));
  row(`start to a chosen config, ${count} models`, of("drawn"), {
    unit: "ms",
    aim,
    more: `median of ${RUNS}; the page begins after ${of("began")} ms, its list is there after ${of("row")} ms`,
  });
}

async function startOnce(open, count) {
  const place = withModels(count);
  const driver = await open(place);
  const page = new Page(driver);
  const times = await page.until("the config to be drawn", async () => {
    await driver.evaluate(OPEN); // once more where the window had not loaded its page before
    return driver.evaluate(
      "window.conchStart.drawn ? { ...window.conchStart, began: 0, origin: performance.timeOrigin } : null",
    );
  });
  await page.see({ css: `[data-model='${MODEL}'] [aria-label^='Ready']` }, LOADING_MS);
  await driver.close();
  place.remove();
  const since = (time) => Math.round(times.origin + time - driver.began);
  return { began: since(0), row: since(times.row), drawn: since(times.drawn) };
}

/** A place with so many models beside the examples. */
export function withModels(count) {
  const place = new Workplace().withoutPrograms();
  for (let i = 0; i < count; i++) loadable(place, `model_${String(i).padStart(4, "0")}`);
  return place;
}

/** A copy of a model that can be loaded: its config names no model, so that its folder does. */
function loadable(place, name) {
  place.copy("add_sub", name);
  place.write(`${name}/config.pbtxt`, place.read(`${name}/config.pbtxt`).replace(/^name: .*\n/m, ""));
}
