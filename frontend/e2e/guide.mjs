// The pictures of docs/guide and README: the examples, while clients send requests.
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertAndCompare, openConversion } from "./convert.mjs";
import { retype } from "./editing.mjs";
import { handOver } from "./handover.mjs";
import { command } from "./handsOnKeys.mjs";
import { Page } from "./page.mjs";
import { debugging, profiling } from "./python.mjs";
import { watching } from "./remote.mjs";
import { Workplace } from "./workplace.mjs";

const model = (name) => ({ css: `[data-model="${name}"]` });
const tab = (name) => ({ role: "tab", name });

/** Charts need something to show. */
const TRAFFIC_MS = 40_000;
const SETTLE_MS = 700;

// A three as a mouse draws it, in shares of the paper.
const THREE = [
  [0.32, 0.25],
  [0.5, 0.17],
  [0.64, 0.28],
  [0.45, 0.45],
  [0.66, 0.6],
  [0.54, 0.79],
  [0.32, 0.71],
];

const shots = [
  [
    "overview",
    async (page) => {
      await page.click({ role: "radio", name: "5 min" });
      await new Promise((resolve) => setTimeout(resolve, TRAFFIC_MS));
    },
  ],
  [
    "problem",
    async (page) => {
      await page.click(model("digits"));
      await retype(page, { text: "dims: [ 64", old: "64", typed: "63" });
      const box = await page.see({ css: ".cm-conch-error" });
      await page.driver.move(box.x + box.width / 2, box.y + box.height / 2);
    },
  ],
  [
    "ensemble",
    async (page) => {
      await page.driver.press("Escape");
      await retype(page, { text: "dims: [ 63", old: "63", typed: "64" });
      await page.gone({ css: ".cm-conch-error" });
      await page.click(model("read_digit"));
      await page.see({ css: "[aria-label='Graph of read_digit']" });
      // All of the ensemble beside the request.
      await page.driver.press("Control+b");
      await page.gone({ css: "[data-model='digits']" });
      await page.click({ role: "button", name: "Fit" });
    },
  ],
  [
    "answer",
    async (page) => {
      await page.draw({ role: "img", name: "Draw IMAGE" }, [THREE]);
      await page.driver.press("Control+Enter");
      await page.see({ css: "section[aria-label='Output DIGIT']" });
    },
  ],
  [
    "timeline",
    async (page) => {
      await page.click({ role: "button", name: "Timeline" });
      await page.see({ css: "section[aria-label='Timeline'] li:last-child" });
    },
  ],
  [
    "metrics",
    async (page) => {
      await page.driver.press("Control+b");
      await page.click(tab("Metrics"));
    },
  ],
  [
    "new-model",
    async (page, place) => {
      const file = join(place.dir, "numbers.onnx");
      copyFileSync(join(place.repository, "digits/1/model.onnx"), file);
      await page.driver.dropPath(file, 640, 400);
      await page.reads("[role=dialog]", /config\.pbtxt made from the file/);
    },
  ],
  [
    "requests",
    async (page) => {
      await page.driver.press("Escape");
      await page.gone({ role: "dialog" });
      await page.click({ role: "button", name: "Conch: show the repository" });
      await page.click(tab("Requests"));
      await page.click({ role: "radio", name: /^Refused by the ports/ });
    },
  ],
  [
    "calls",
    async (page) => {
      await page.click(model("say_digit"));
      await page.click(tab("Config and try"));
      await page.click({ css: "nav[aria-label='Files in the editor'] button[title$='model.py']" });
      await page.draw({ role: "img", name: "Draw IMAGE" }, [THREE]);
      await page.driver.press("Control+Enter");
      await page.see({ css: "section[aria-label='Output TEXT']" });
      const steps = { css: "section[aria-label='Timeline'] li:last-child" };
      if (!(await page.box(steps))) await page.click({ role: "button", name: "Timeline" });
      await page.see(steps);
    },
  ],
  [
    "debug",
    async (page, place) => {
      await debugging(page, place);
      await profiling(page);
    },
  ],
  [
    "convert",
    async (page) => {
      await openConversion(page);
      await convertAndCompare(page);
    },
  ],
  [
    "handover",
    async (page) => {
      await page.click({ role: "button", name: "Discard" });
      await page.driver.press("Escape");
      await page.gone({ css: "[role=dialog]" });
      await handOver(page);
    },
  ],
  [
    "frameworks",
    async (page, place) => {
      await page.driver.press("Escape");
      await page.gone({ role: "dialog" });
      lackingPackage(place);
      await page.click(model("digits_openvino"));
      await page.click(tab("Config and try"));
      await page.see({ css: "[aria-label='Packages are not installed']" }, 30_000);
    },
  ],
  [
    "runtime",
    async (page, place) => {
      rmSync(join(place.repository, "digits_openvino"), { recursive: true });
      await page.gone(model("digits_openvino"));
      await command(page, "onnx runtime");
      await page.reads("[role=dialog]", /cuda13/, 30_000);
    },
  ],
  ["differences", watching],
];

/** The network of the example `digits` for OpenVINO, whose package the Python of the pictures does not have. */
function lackingPackage(place) {
  place.copy("digits", "digits_openvino");
  place.write(
    "digits_openvino/config.pbtxt",
    place
      .read("digits/config.pbtxt")
      .replace(/^#.*\n/, "")
      .replace('name: "digits"', 'name: "digits_openvino"')
      .replace('backend: "onnxruntime"', 'backend: "openvino"\ndefault_model_filename: "model.onnx"'),
  );
}

/**
 * As at a person's: nothing tells which ONNX Runtime to take, so it is the one that comes with Conch, and Python has a path
 * that could be anybody's, since messages name it.
 */
class Home extends Workplace {
  get env() {
    const { CONCH_ONNXRUNTIME, ...env } = super.env;
    const python = join(this.dir, "python3");
    writeFileSync(python, `#!/bin/sh\nexec "${env.CONCH_PYTHON}" "$@"\n`, { mode: 0o755 });
    return { ...env, CONCH_PYTHON: python };
  }
}

/** Takes the pictures in Chromium. */
export async function guide(open, pictures) {
  const place = new Home(join(tmpdir(), "models"));
  const driver = await open(place);
  const page = new Page(driver);
  await page.see({ css: '[data-model="read_digit"] [role=img][aria-label^="Ready"]' }, 30_000);
  const clients = sendAlways(await httpPort(page));
  for (const [shot, prepare] of shots) {
    await prepare(page, place);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS)); // tooltips and charts settle
    await driver.screenshot(join(pictures, `${shot}.png`));
  }
  await clients.stop();
  await driver.close();
  place.remove();
  return true;
}

/** Where the engine's HTTP port is, as the status bar tells it. */
async function httpPort(page) {
  const bar = await page.text("footer[aria-label='Status']");
  return Number(bar.match(/HTTP (\d+)/)[1]);
}

/** Clients of the port: most requests are right, some are not. */
function sendAlways(port) {
  const ends = new AbortController();
  const send = (name, inputs) =>
    fetch(`http://127.0.0.1:${port}/v2/models/${name}/infer`, {
      method: "POST",
      body: JSON.stringify({ inputs }),
    }).then((answer) => answer.arrayBuffer());
  const tensor = (name, datatype, shape, value) => {
    const size = shape.reduce((a, b) => a * b, 1);
    return { name, datatype, shape, data: Array(size).fill(value) };
  };
  const numbers = (columns) => ["INPUT0", "INPUT1"].map((name) => tensor(name, "INT32", [1, columns], 1));
  const page = [tensor("IMAGE", "UINT8", [1, 28, 28], 90)];
  const run = async () => {
    for (let i = 0; !ends.signal.aborted; i++) {
      const pace = 4 + 3 * Math.sin(i / 90);
      for (let n = 0; n < pace; n++) await send("add_sub", numbers(16));
      await send("read_digit", page);
      if (i % 90 === 40) await send("add_sub", numbers(15));
      if (i % 120 === 60) await send("add_subs", numbers(16));
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  };
  const running = run().catch(() => {}); // it was stopped
  return {
    stop: () => {
      ends.abort();
      return running;
    },
  };
}
