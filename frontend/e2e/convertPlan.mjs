// A plan of TensorRT with two profiles, on a machine with fakes of TensorRT and of CUDA's driver. The profiles come and go by keyboard.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { violations } from "./axe.mjs";
import { command } from "./handsOnKeys.mjs";
import { pictures } from "./pictures.mjs";
import { ROOT } from "./workplace.mjs";

const LOADING_MS = 30_000;
const CONVERTING_MS = 60_000;
const DIALOG = "[role=dialog]";
const FAKE = join(ROOT, "engine/backend/python/frameworks/faketensorrt");

/** Writes a model that copies x to y: the fake of TensorRT builds plans of no others. */
const COPYING = `
import onnx, sys
from onnx import TensorProto, helper
x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 64]) for name in "xy")
graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "copy", [x], [y])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
`;

const CONFIG = `backend: "onnxruntime"
max_batch_size: 32
input [ { name: "x" data_type: TYPE_FP32 dims: [ 64 ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 64 ] } ]
`;

/** Has the program started again where TensorRT is, with a model that it takes. */
async function startWithTensorRT(page, place) {
  const python = place.env.CONCH_PYTHON;
  const venv = join(place.dir, "tensorrt");
  const driver = join(place.dir, "cuda");
  const run = (...command) => execFileSync(command[0], command.slice(1), { encoding: "utf8" });
  mkdirSync(driver);
  run("cc", "-shared", "-fPIC", "-o", join(driver, "libcuda.so.1"), join(FAKE, "cuda.c"));
  run(python, "-m", "venv", "--without-pip", venv);
  const packages = (of) => run(of, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").trim();
  writeFileSync(join(packages(join(venv, "bin/python3")), "fake.pth"), `${packages(python)}\n${FAKE}\n`);
  place.write("copy/config.pbtxt", CONFIG);
  mkdirSync(join(place.repository, "copy/1"));
  run(python, "-c", COPYING, join(place.repository, "copy/1/model.onnx"));
  place.more = {
    CONCH_PYTHON: join(venv, "bin/python3"),
    LD_LIBRARY_PATH: driver,
    FAKE_GPUS: "1",
    FAKE_TENSORRT: "10.3.0",
  };
  await page.reopen();
  await page.see({ css: '[data-model="copy"] [role=img][aria-label^="Ready"]' }, LOADING_MS);
}

const button = (name) => ({ role: "button", name });
const inProfile = (number) => ({ css: `${DIALOG} input[aria-label="Shapes of x in profile ${number}"]` });

/** Whether a field has the focus. */
const focused = (page, { css }) =>
  page.until(`the focus in ${css}`, () =>
    page.driver.evaluate(`document.activeElement === document.querySelector(${JSON.stringify(css)})`),
  );

/** The button that begins stays in sight where the form is longer than its dialog. */
const convertInSight = (page) =>
  page.until("the button that converts in sight", () =>
    page.driver.evaluate(`(() => {
      const button = [...document.querySelectorAll("${DIALOG} button")].find((one) => one.textContent === "Convert and compare");
      const { right, bottom } = button.getBoundingClientRect();
      return document.elementFromPoint(right - 4, bottom - 4)?.closest("button") === button;
    })()`),
  );

async function retype(page, text) {
  await page.driver.press("Control+a");
  await page.driver.type(text);
}

export const planWithProfiles = [
  "a plan with two profiles: what is wrong is told at its field, and the config names both",
  async (page, place) => {
    await startWithTensorRT(page, place);
    await page.click({ css: '[data-model="copy"]' });
    await command(page, "convert copy");
    await page.see(button("Convert and compare"), CONVERTING_MS);
    await page.click({ role: "radio", name: "TensorRT" });
    await page.click({ css: `${DIALOG} input[aria-label="Shapes of x"]` });
    for (const number of [1, 2]) {
      await page.driver.press("Tab");
      await page.driver.press("Enter"); // Add a profile
      await focused(page, inProfile(number));
    }
    await page.driver.press("Shift+Tab");
    await page.driver.press("Enter"); // Remove profile 2
    await focused(page, inProfile(1));
    await page.gone(inProfile(2));
    await retype(page, "33x64, 3x64, 64x64");
    await page.click({ css: `${DIALOG} label`, name: "Random values" });
    await convertInSight(page);
    await page.click(button("Convert and compare"));
    await focused(page, inProfile(1));
    await page.reads(DIALOG, /Each size must be least ≤ best ≤ largest/);
    await pictures(page, "convert-profiles");
    const found = await violations(page);
    if (found.length > 0) throw new Error(found.join("\n     "));
    await retype(page, "33x64, 40x64, 64x64");
    await page.click(button("Convert and compare"));
    await page.reads(DIALOG, /profile: \[ "0", "1" \]/, CONVERTING_MS);
    await page.click(button("Write the model copy_trt"));
    await page.see({ css: '[data-model="copy_trt"] [role=img][aria-label^="Ready"]' }, LOADING_MS);
    const config = place.read("copy_trt/config.pbtxt");
    if (!/max_batch_size: 64[\s\S]*profile: \[ "0", "1" \]/.test(config)) throw new Error(config);
  },
];
