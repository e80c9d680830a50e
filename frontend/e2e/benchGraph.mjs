// How long a person waits for the graph of a large ensemble, and how it moves.
import { row } from "./figures.mjs";
import { branches, chain, lattice } from "./graphPlaces.mjs";
import { Page } from "./page.mjs";
import { commandLine, descendants, ticks } from "./processes.mjs";
import { Workplace } from "./workplace.mjs";

const LOADING_MS = 60_000;
const FRAME_MS = 1000 / 60;
const PAN_FRAMES = 120;
const GRAPHS = { chain, lattice, branches };
const NODE = ".react-flow__node";
/** The process that draws the window's page. */
const DRAWS = /WebKitWebProcess$/;
const TICK_MS = 10;

/** Prints the rows of each ensemble; open is how the window is started. */
export async function benchGraph(open) {
  const place = new Workplace().withoutPrograms();
  for (const [name, config] of Object.entries(GRAPHS)) {
    place.write(`${name}/config.pbtxt`, config);
    place.write(`${name}/1/.keep`, "");
  }
  const driver = await open(place);
  const page = new Page(driver);
  await page.click({ css: "[data-model='read_digit']" });
  await page.see({ css: NODE }); // the program that draws graphs is there
  for (const name of Object.keys(GRAPHS)) {
    await page.see({ css: `[data-model='${name}']` }, LOADING_MS);
    row(`an ensemble of 200 steps opens, ${name}`, await opening(page, name), { unit: "ms", aim: 1000 });
    const before = drawingTicks(driver.pid);
    const frames = await panning(page);
    const spent = (drawingTicks(driver.pid) - before) * TICK_MS;
    const late = frames.filter((ms) => ms > 1.5 * FRAME_MS).length;
    row(`panning 200 steps: frames that are late, ${name}`, (100 * late) / frames.length, {
      unit: "%",
      aim: 5,
      more: `${frames.length} frames, the slowest ${Math.max(...frames).toFixed(0)} ms`,
    });
    row(`panning 200 steps: processor for each frame, ${name}`, spent / frames.length, {
      unit: "ms",
      aim: 8,
      more: "depends less on what else runs",
    });
  }
  await driver.close();
  place.remove();
}

/** The processor time of the page's process, in hundredths of a second. */
const drawingTicks = (pid) =>
  descendants(pid)
    .filter((one) => DRAWS.test(commandLine(one)[0] ?? ""))
    .reduce((sum, one) => sum + ticks(one), 0);

/** From the click on the model until its steps are painted. */
async function opening(page, name) {
  await page.driver.evaluate(`(() => {
    window.conchOpened = undefined;
    const begin = performance.now();
    const look = () => {
      if (document.querySelector("section[aria-label='Graph of ${name}'] ${NODE}"))
        requestAnimationFrame(() => { window.conchOpened = performance.now() - begin; });
      else requestAnimationFrame(look);
    };
    document.querySelector("[data-model='${name}']").click();
    look();
  })()`);
  return page.until(`the graph of ${name}`, () => page.driver.evaluate("window.conchOpened"), LOADING_MS);
}

/** The times between frames while the drawing is dragged, a step further in each frame. */
async function panning(page) {
  await page.driver.evaluate(`(() => {
    const pane = document.querySelector(".react-flow__pane");
    const { left, top, width, height } = pane.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height - 20];
    const tell = (type, target, i) =>
      target.dispatchEvent(new MouseEvent(type, {
        bubbles: true, cancelable: true, view: window, button: 0, buttons: 1,
        clientX: x - 12 * i, clientY: y - 3 * i,
      }));
    const frames = [];
    window.conchFrames = undefined;
    tell("mousedown", pane, 0);
    let last;
    const move = (now) => {
      if (last !== undefined) frames.push(now - last);
      last = now;
      if (frames.length < ${PAN_FRAMES}) {
        tell("mousemove", window, frames.length + 1);
        requestAnimationFrame(move);
        return;
      }
      tell("mouseup", window, frames.length);
      window.conchFrames = frames;
    };
    window.conchBefore = document.querySelector(".react-flow__viewport").style.transform;
    requestAnimationFrame(move);
  })()`);
  const frames = await page.until("the drag", () => page.driver.evaluate("window.conchFrames"), LOADING_MS);
  const moved = await page.driver.evaluate(
    `document.querySelector(".react-flow__viewport").style.transform !== window.conchBefore`,
  );
  if (!moved) throw new Error("the drawing was not moved");
  return frames;
}
