// What a person waits for: the window's first paint, a squiggle after a keystroke; and what sits in memory.
import { readFileSync } from "node:fs";
import { chartsOfADay } from "./benchCharts.mjs";
import { benchGraph } from "./benchGraph.mjs";
import { benchStart } from "./benchStart.mjs";
import { median, row } from "./figures.mjs";
import { Page } from "./page.mjs";
import { commandLine, descendants, findEngine, findWorkbench, ticks } from "./processes.mjs";
import { Workplace } from "./workplace.mjs";

const RUNS = 5;
const KEYSTROKES = 15;
/** Seconds until a window is at rest after the last key, and seconds that it is then watched. */
const SETTLE_S = 15;
const REST_S = 20;
/** The session bus that the test starts is not the program's. */
const BUS = /dbus/;

const PARTS = {
  rest: paintAndRest,
  start: async (open) => {
    await benchStart(open, 300, 1000);
    await benchStart(open, 3000, 3000);
  },
  graph: benchGraph,
  charts,
};

/** Prints the rows of a part, or of all; open is how the window is started. */
export async function bench(open, only) {
  for (const [name, part] of Object.entries(PARTS)) if (!only || only === name) await part(open);
  return !only || only in PARTS;
}

async function paintAndRest(open) {
  const paints = [];
  let idle;
  for (let i = 0; i < RUNS; i++) {
    const place = new Workplace().withoutPrograms();
    const driver = await open(place);
    const page = new Page(driver);
    paints.push((await firstPaint(page)) - driver.began);
    await page.see({ css: "[data-model='digits']" });
    if (i === RUNS - 1) {
      await keystrokes(page, "digits", "a config of 30 lines");
      large(place);
      await keystrokes(page, "large", "400 lines, 5 steps");
    }
    if (i === RUNS - 1) idle = await atRest(driver.pid);
    await driver.close();
    place.remove();
  }
  row("window: start to first paint", median(paints), { unit: "ms", aim: 800, more: `median of ${RUNS}` });
  row("window at rest, processor of all processes", idle.cpu, {
    unit: "% of a core",
    aim: 1,
    more: `over ${REST_S} s: app ${idle.appCpu.toFixed(2)}, engine ${idle.engineCpu.toFixed(2)}, the rest is the web view`,
  });
  row("window at rest, memory of all processes", idle.all / 1e6, {
    unit: "MB",
    aim: 350,
    more: `app ${mb(idle.app)} MB, engine ${mb(idle.engine)} MB, the rest is the web view`,
  });
}

async function charts(open) {
  const times = await chartsOfADay(open);
  row("charts of 24 h of one-second data", median(times), {
    unit: "ms",
    aim: 150,
    more: `median of ${times.length}, slowest ${Math.max(...times).toFixed(0)} ms`,
  });
}

/** When the page first painted content, in Unix milliseconds. */
function firstPaint(page) {
  return page.until("the first paint", () =>
    page.driver.evaluate(`(() => {
      const paint = performance.getEntriesByName("first-contentful-paint")[0];
      return paint ? Math.round(performance.timeOrigin + paint.startTime) : 0;
    })()`),
  );
}

/** An ensemble of five steps in 400 lines, as large as people's get. */
function large(place) {
  const add = (i) => `
    {
      model_name: "add_sub"
      model_version: -1
      input_map { key: "INPUT0" value: "t${i}" }
      input_map { key: "INPUT1" value: "t${i}" }
      output_map { key: "OUTPUT0" value: "t${i + 1}" }
${"      # a remark of the kind that configs have\n".repeat(69)}    }`;
  const tensor = (name) => `{ name: "${name}" data_type: TYPE_INT32 dims: [ 16 ] }`;
  place.write(
    "large/config.pbtxt",
    `platform: "ensemble"
max_batch_size: 8
input [ ${tensor("t0")} ]
output [ ${tensor("t5")} ]
ensemble_scheduling {
  step [${[0, 1, 2, 3, 4].map(add).join(",")}
  ]
}
`,
  );
  place.write("large/1/.keep", "");
}

/** Types a wrong letter into a config and takes it back, again and again, and times the squiggle inside the page. */
async function keystrokes(page, model, what) {
  await page.click({ css: `[data-model="${model}"]` });
  if (model === "large") await page.click({ role: "tab", name: "Config" });
  await page.reads(".cm-content", model === "large" ? /a remark/ : /"digits"/);
  await page.click({ css: ".cm-line" });
  await page.driver.press("End");
  await page.driver.evaluate(`(() => {
    window.conchTimes = [];
    let pressed = 0;
    addEventListener("keydown", () => { pressed = performance.now(); }, true);
    const squiggles = () => document.querySelectorAll(".cm-conch-error").length;
    let before = squiggles();
    new MutationObserver(() => {
      const now = squiggles();
      if (now > before && pressed) window.conchTimes.push(performance.now() - pressed);
      before = now;
    }).observe(document.querySelector(".cm-content"), { subtree: true, childList: true, attributes: true });
    return 1;
  })()`);
  await page.driver.press("Enter");
  for (let i = 0; i < KEYSTROKES; i++) {
    await page.driver.type("?");
    await page.see({ css: ".cm-conch-error" });
    await page.driver.press("Backspace");
    await page.gone({ css: ".cm-conch-error" });
  }
  const times = await page.driver.evaluate("window.conchTimes");
  row(`keystroke to squiggle, ${what}`, median(times), {
    unit: "ms",
    aim: 50,
    more: `median of ${times.length}, slowest ${Math.max(...times).toFixed(0)} ms`,
  });
}

/** What a window takes that nobody touches: processor time, and the proportional memory of its processes. */
async function atRest(pid) {
  const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  await wait(SETTLE_S);
  const all = descendants(pid).filter((one) => !BUS.test(commandLine(one)[0] ?? ""));
  const sum = (figure) => all.reduce((total, one) => total + figure(one), 0);
  const app = findWorkbench(pid);
  const engine = findEngine(pid);
  const spent = () => ({ all: sum(ticks), app: ticks(app), engine: ticks(engine) });
  const before = spent();
  await wait(REST_S);
  const after = spent();
  const percent = (who) => (after[who] - before[who]) / REST_S; // a tick is a hundredth of a second
  return {
    cpu: percent("all"),
    appCpu: percent("app"),
    engineCpu: percent("engine"),
    all: sum(pss),
    app: pss(app),
    engine: pss(engine),
  };
}

function pss(pid) {
  return Number(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8").match(/Pss:\s+(\d+) kB/)[1]) * 1024;
}

const mb = (bytes) => (bytes / 1e6).toFixed(1);
