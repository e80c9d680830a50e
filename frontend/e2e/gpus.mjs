// The GPUs of a Triton elsewhere in the history: a line for each, hidden where there is none. No machine needs a GPU for it: the page of metrics is made up.

import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { addServer, stateOf } from "./remote.mjs";
import { freePort } from "./tritonServer.mjs";
import { ROOT, startServe } from "./workplace.mjs";

const LOADING_MS = 30_000;
const PICTURES = join(ROOT, "build/cache/e2e/gpus");
const chart = (title) => `section[aria-label='${title}']`;

const gauges = (family, values) =>
  [`# TYPE ${family} gauge`, ...values.map((value, i) => `${family}{gpu_uuid="GPU-${i}"} ${value}`)].join(
    "\n",
  );

/** A page of metrics with two GPUs, which grow busier. */
async function gpuPage() {
  let asked = 0;
  const server = createServer((_, response) => {
    const load = Math.min(++asked / 20, 0.9);
    const page = [
      gauges("nv_gpu_utilization", [load, 0]),
      gauges("nv_gpu_memory_total_bytes", [80e9, 40e9]),
      gauges("nv_gpu_memory_used_bytes", [load * 80e9, 3e9]),
      gauges("nv_gpu_power_usage", [60 + load * 300, 58]),
    ];
    response.end(`${page.join("\n")}\n`);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return server;
}

/** Pictures of what is shown, in both themes and two sizes, where one asked for them. */
async function pictures(page, name) {
  if (!process.env.CONCH_PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  for (const theme of ["dark", "light"]) {
    await page.driver.evaluate(`document.documentElement.classList.toggle("dark", ${theme === "dark"})`);
    await page.driver.screenshot(join(PICTURES, `${name}-${theme}.png`));
  }
}

export const gpus = [
  [
    "a machine without a GPU has no charts of GPUs",
    async (page) => {
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      await page.click({ css: '[data-model="digits"]' });
      await page.click({ role: "tab", name: "Metrics" });
      await page.see({ css: chart("CPU and memory") });
      await page.gone({ css: chart("GPU memory") });
    },
  ],
  [
    "the GPUs of a Triton are in its history, with a line for each",
    async (page, place) => {
      place.metrics = await gpuPage();
      const port = await freePort();
      place.peer = await startServe(place, ["--load-model=digits"], { grpc: port });
      await addServer(page, {
        address: `grpc://127.0.0.1:${port}`,
        metrics: `http://127.0.0.1:${place.metrics.address().port}/metrics`,
      });
      await page.click({ role: "button", name: "Save and show" });
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      await page.click({ role: "radio", name: "5 min" });
      await page.reads(chart("GPU utilization"), /GPU 0 \d+ %[\s\S]*GPU 1 0 %/, LOADING_MS);
      await page.reads(chart("GPU memory"), /GPU 0 [\d.]+ GB of 80 GB[\s\S]*GPU 1 3\.0 GB of 40 GB/);
      await page.reads(chart("GPU power"), /GPU 0 \d+ W[\s\S]*GPU 1 58 W/);
      await pictures(page, "charts");
    },
  ],
  [
    "the devices are those of the server",
    async (page, place) => {
      await page.driver.press("Control+k");
      await page.driver.type("devices");
      await page.see({ css: "[role=option]" });
      await page.driver.press("Enter");
      await page.reads("[role=dialog]", /GPU 0[\s\S]*of 80 GB[\s\S]*GPU 1/);
      await pictures(page, "devices");
      await page.driver.press("Escape");
      await page.gone({ css: "[role=dialog]" });
      place.metrics.close();
      await place.peer.stop();
    },
  ],
];
