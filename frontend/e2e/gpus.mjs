// GPUs in the window: those of a Triton elsewhere, whose page of metrics is made up, and those of this machine, whose driver's library is.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { command } from "./handsOnKeys.mjs";
import { pictures } from "./pictures.mjs";
import { addServer, item, stateOf } from "./remote.mjs";
import { freePort } from "./tritonServer.mjs";
import { ROOT, startServe } from "./workplace.mjs";

const LOADING_MS = 30_000;
const chart = (title) => `section[aria-label='${title}']`;

const GiB = 1024 ** 3;

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
      gauges("nv_gpu_memory_total_bytes", [80 * GiB, 40 * GiB]),
      gauges("nv_gpu_memory_used_bytes", [load * 80 * GiB, 3 * GiB]),
      gauges("nv_gpu_power_usage", [60 + load * 300, 58]),
    ];
    response.end(`${page.join("\n")}\n`);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return server;
}

/** Has the program started again on a machine whose driver tells of GPUs: each is [used, power, temperature, what reaching it returns, its name]. */
async function startWithGpus(page, place, list) {
  const library = join(place.dir, "driver");
  mkdirSync(library);
  const compile = (source, name) =>
    execFileSync("cc", ["-shared", "-fPIC", "-o", join(library, name), join(ROOT, source), "-ldl"]);
  compile("engine/device/testdata/nvml.c", "libnvidia-ml.so.1");
  compile("engine/backend/onnx/ort/testdata/adapters.c", "libadapters.so");
  place.driver = join(library, "machine");
  place.more = {
    LD_LIBRARY_PATH: library,
    FAKE_NVML: place.driver,
    CONCH_ONNXRUNTIME: join(library, "libadapters.so"),
    ADAPTERS_REAL: place.env.CONCH_ONNXRUNTIME,
  };
  tellGpus(place, list);
  await page.reopen();
}

const tellGpus = (place, list, more = "") =>
  writeFileSync(
    place.driver,
    list
      .map(
        ([used, power, heat, reached, name]) =>
          `gpu ${80 * GiB} ${used} 50 ${power} ${heat} ${reached} ${name}\n`,
      )
      .join("") + more,
  );

const eightDivided = Array.from({ length: 8 }, () => [20 * GiB, 210_000, 47, 0, "NVIDIA H100 80GB HBM3"]);

/** So many parts of each of so many GPUs; the third part of the first is nearly full. */
const partsOf = (gpus, parts) =>
  Array.from({ length: gpus }, (_, gpu) =>
    Array.from({ length: parts }, (_, i) => {
      const used = gpu === 0 && i === 2 ? 9.5 * GiB : i < 4 ? (i + 1) * GiB : 0;
      return `instance ${gpu} ${i + 1} 0 ${10 * GiB} ${used} NVIDIA H100 80GB HBM3 MIG 1g.10gb\n`;
    }).join(""),
  ).join("");

async function openDevices(page) {
  await command(page, "devices");
}

export const gpus = [
  [
    "a machine without a GPU has no charts of GPUs",
    async (page) => {
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      await page.click({ css: '[data-model="digits"]' });
      await page.click({ role: "tab", name: "Metrics" });
      await page.see({ css: chart("CPU and memory of the engine") });
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
      await page.reads(
        chart("GPU memory"),
        /GPU 0 [\d.]+ GiB of 80\.0 GiB[\s\S]*GPU 1 3\.0 GiB of 40\.0 GiB/,
      );
      await page.reads(chart("GPU power"), /GPU 0 \d+ W[\s\S]*GPU 1 58 W/);
      await pictures(page, "gpus-charts");
    },
  ],
  [
    "the devices are those of the server",
    async (page, place) => {
      await openDevices(page);
      await page.reads("[role=dialog]", /GPU 0[\s\S]*of 80\.0 GiB[\s\S]*GPU 1/);
      await pictures(page, "gpus-devices");
      await page.driver.press("Escape");
      await page.gone({ css: "[role=dialog]" });
      place.metrics.close();
      await place.peer.stop();
    },
  ],
  [
    "the GPUs of this machine: what they do, who holds them, and why no model runs there",
    async (page, place) => {
      await startWithGpus(page, place, [
        [8 * GiB, 312_000, 54, 0, "NVIDIA H100"],
        [79 * GiB, 0, 81, 0, "<img src=x onerror=alert(1)>"],
      ]);
      await page.click({ css: "header button", name: /Server: / });
      await page.click(item("This machine"));
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      tellGpus(
        place,
        [
          [8 * GiB, 312_000, 54, 0, "NVIDIA H100"],
          [79 * GiB, 0, 81, 0, "<img src=x onerror=alert(1)>"],
        ],
        "process 1 4242 64424509440\n",
      );
      await openDevices(page);
      await page.reads(
        "[role=dialog]",
        /NVIDIA H100 · 8\.0 GiB of 80\.0 GiB · 50 % · 312 of 700 W · 54 °C/,
        LOADING_MS,
      );
      await page.reads(
        "[role=dialog]",
        /<img src=x onerror=alert\(1\)> · 79\.0 GiB of 80\.0 GiB · 50 % · 81 °C/,
      );
      await page.reads("[role=dialog]", /process 4242 \(60\.0 GiB\)[\s\S]*Nearly full/, LOADING_MS);
      await page.reads(
        "[role=dialog]",
        /NVIDIA driver 580\.65[\s\S]*(CUDA cannot be used: libcuda\.so\.1|has no CUDA)/,
        LOADING_MS,
      );
      await pictures(page, "gpus-machine");
      await page.driver.press("Escape");
      await page.gone({ css: "[role=dialog]" });
    },
  ],
  [
    "devices of other makers, as ONNX Runtime tells, and NVIDIA's as their driver tells",
    async (page) => {
      await openDevices(page);
      await page.reads(
        "[role=dialog]",
        /AMD GPU\s*AMD Radeon · 1002:744c · at 0000:03:00\.0\s*ONNX Runtime can use it by WebGPU, DirectML\.\s*Qualcomm NPU[\s\S]*Processor/,
        LOADING_MS,
      );
      await page.gone({ css: "[role=dialog] strong", name: "NVIDIA GPU" });
      await pictures(page, "gpus-others");
      await page.driver.press("Escape");
      await page.gone({ css: "[role=dialog]" });
    },
  ],
  [
    "their temperatures are in the history, and a GPU that is lost is a gap while the other goes on",
    async (page, place) => {
      await page.click({ css: '[data-model="digits"]' });
      await page.click({ role: "tab", name: "Metrics" });
      await page.reads(chart("GPU temperature"), /GPU 0 54 °C[\s\S]*GPU 1 81 °C/, LOADING_MS);
      tellGpus(place, [
        [8 * GiB, 312_000, 55, 0, "NVIDIA H100"],
        [79 * GiB, 0, 81, 15, "lost"],
      ]);
      await page.reads(chart("GPU temperature"), /GPU 0 55 °C[\s\S]*GPU 1 lost/, LOADING_MS);
    },
  ],
  [
    "the parts of eight divided GPUs, each with its memory and its UUID",
    async (page, place) => {
      tellGpus(place, eightDivided, partsOf(8, 7));
      await openDevices(page);
      const summary = "Divided into 7 instances (MIG) · 7 × 1g.10gb";
      await page.reads(
        "[role=dialog]",
        /GPU 7[\s\S]*Divided into 7 instances \(MIG\) · 7 × 1g\.10gb/,
        LOADING_MS,
      );
      await pictures(page, "gpus-divided");
      await page.click({ css: "[role=dialog] summary", name: `${summary} · 1 nearly full` });
      await page.reads("[role=dialog]", /7\/0\s*1g\.10gb\s*0 B of 10\.0 GiB\s*MIG-07/);
      await pictures(page, "gpus-instances");
      await page.driver.press("Escape");
      await page.gone({ css: "[role=dialog]" });
    },
  ],
  [
    "a driver that goes away is told, and models go on",
    async (page, place) => {
      rmSync(place.driver);
      await openDevices(page);
      await page.reads("[role=dialog]", /The GPUs of this machine cannot be read/, LOADING_MS);
      await page.driver.press("Escape");
      await page.see(stateOf("digits", "Ready"));
    },
  ],
];
