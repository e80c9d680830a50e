// On a small screen, 1024 × 700: what belongs together is whole and in sight, and what is not is told of.
import { fillIn } from "./editing.mjs";
import { brokenAll } from "./graphPlaces.mjs";

const LOADING_MS = 30_000;

const go = (page, hash, seen) => page.go(hash, seen, LOADING_MS);

/** Answers after as long as its one value says, in seconds. */
const SLOW = `import time
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        answers = []
        for request in requests:
            values = pb_utils.get_input_tensor_by_name(request, "SECONDS").as_numpy()
            time.sleep(float(values.flat[0]))
            answers.append(pb_utils.InferenceResponse([pb_utils.Tensor("OUT", values)]))
        return answers
`;

const CONFIG = `name: "slow"
backend: "python"
version_policy: { all {} }
input [ { name: "SECONDS" data_type: TYPE_FP32 dims: [ 1 ] } ]
output [ { name: "OUT" data_type: TYPE_FP32 dims: [ 1 ] } ]
`;

/** What of the bar above a request is cut or out of sight. */
const BAR = `(() => {
  const pane = document.querySelector("section[aria-label=Try]");
  const edge = pane.getBoundingClientRect().right;
  const version = pane.querySelector("[data-version] > span");
  const buttons = [...pane.firstElementChild.querySelectorAll("button")];
  return {
    title: pane.querySelector("strong").getBoundingClientRect().width,
    version: version.scrollWidth - version.clientWidth,
    out: buttons.filter((e) => e.getBoundingClientRect().right > edge - 4 || e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent),
  };
})()`;

/** The figures of each card that are not whole in its head. */
const FIGURES = `[...document.querySelectorAll("section[aria-label] h2 + div")].flatMap((values) => {
  const box = values.getBoundingClientRect();
  return [...values.children].filter((e) => {
    const { right, bottom } = e.getBoundingClientRect();
    return right > box.right || bottom > box.bottom + 1;
  }).map((e) => values.parentElement.getAttribute("aria-label") + ": " + e.textContent);
})`;

/** By how much the list of models cuts a row, and what it says of those out of sight. */
const LIST = `(() => {
  const list = document.querySelector("table[aria-label=Models]").parentElement;
  const { bottom } = list.getBoundingClientRect();
  const rows = [...list.querySelectorAll("tbody tr")].map((e) => e.getBoundingClientRect());
  return {
    cut: Math.max(0, ...rows.filter((row) => row.top < bottom - 1 && row.bottom > bottom + 1).map((row) => row.bottom - bottom)),
    below: rows.filter((row) => row.bottom > bottom + 1).length,
    said: [...list.querySelectorAll("thead tr:first-child > td")].find((e) => e.offsetWidth > 0)?.textContent ?? "",
  };
})()`;

/** How much of a dialog is out of sight. */
const HIDDEN = `Math.max(...[...document.querySelectorAll("[role=dialog], [role=dialog] *")]
  .filter((e) => /auto|scroll/.test(getComputedStyle(e).overflowY)).map((e) => e.scrollHeight - e.clientHeight))`;

/** How much of the request is out of sight, and what the answer leaves of its room. */
const ROOMS = `(() => {
  const answer = document.querySelector("section[aria-label=Response]");
  const form = answer.closest("[data-group]").querySelector("[data-panel] > * > *");
  const scroll = answer.lastElementChild;
  const parts = scroll.firstElementChild.getBoundingClientRect();
  return {
    hidden: form.scrollHeight - form.clientHeight,
    free: scroll.getBoundingClientRect().bottom - parts.bottom,
  };
})()`;

/** How many pixels are between the ends of the timeline. */
const APART = `(() => {
  const [sent, answered] = [...document.querySelectorAll("section[aria-label=Timeline] [aria-hidden] > span")].slice(-2);
  return answered.getBoundingClientRect().left - sent.getBoundingClientRect().right;
})()`;

/** How many rows of the graph's list of problems are shown, and by how much the last of them is cut. */
const TROUBLES = `(() => {
  const list = document.querySelector("[aria-label='Broken parts of the graph']");
  const { bottom } = list.getBoundingClientRect();
  const rows = [...list.children].map((e) => e.getBoundingClientRect());
  const shown = rows.filter((row) => row.top < bottom - 1);
  return { all: rows.length, shown: shown.length, cut: Math.max(...shown.map((row) => row.bottom)) - bottom };
})()`;

const LONG = "a_model_whose_name_has_forty_letters_yes";

const LONG_STEP = "an_ensemble_whose_name_is_as_long_as_is_";

/** An ensemble whose step has a long tensor that its model lacks. */
const LONG_WIRE = `platform: "ensemble"
max_batch_size: 8
input [ { name: "A" data_type: TYPE_INT32 dims: [ 16 ] }, { name: "B" data_type: TYPE_INT32 dims: [ 16 ] } ]
output [ { name: "OUT" data_type: TYPE_INT32 dims: [ 16 ] } ]
ensemble_scheduling { step [ { model_name: "${LONG}" model_version: -1
  input_map { key: "INPUT0" value: "A" }
  input_map { key: "a_tensor_of_a_name_that_is_forty_letters" value: "B" }
  output_map { key: "OUTPUT0" value: "OUT" } } ] }
`;

/** The fixes in the list of problems of which a part is out of sight. */
const CUT_FIXES = `[...document.querySelectorAll("section[aria-label='Problems of ${LONG_STEP}/config.pbtxt'] li > button")]
  .filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)`;

/** Whether the chip of a load that failed can be pointed at. */
const FAILED = `(() => {
  const chip = [...document.querySelectorAll("main header span")].find((e) => e.textContent.startsWith("Load failed"));
  const { x, y, width, height } = chip.getBoundingClientRect();
  return width > 60 && chip.contains(document.elementFromPoint(x + width / 2, y + height / 2));
})()`;

const small = (step) => async (page, place) => {
  if (!page.driver.resize) page.skip("the size of the window is the screen's");
  await page.driver.resize({ width: 1024, height: 700 });
  await step(page, place);
};

export const laptop = [
  [
    "while a request runs on a model with versions, Stop, the version and the title are whole",
    small(async (page, place) => {
      for (const version of [1, 2]) place.write(`slow/${version}/model.py`, SLOW);
      place.write("slow/config.pbtxt", CONFIG);
      await page.see({ css: "[data-model=slow] [aria-label=Ready]" }, LOADING_MS);
      await go(page, "#/models/slow/try", { css: "[data-version]" });
      const whole = () =>
        page.until("a bar that is whole", async () => {
          const { title, version, out } = await page.driver.evaluate(BAR);
          if (title > 0 && version <= 0 && out.length === 0) return true;
          throw new Error(`the title has ${title} pixels, ${version} of the version and of ${out} are cut`);
        });
      await whole();
      await fillIn(page, "section[aria-label=Try] textarea", "60");
      await page.driver.press("Control+Enter");
      await page.see({ css: "section[aria-label=Try] button", name: /^Stop/ }, LOADING_MS);
      await whole();
      await page.click({ css: "section[aria-label=Try] button", name: /^Stop/ });
      await page.see({ css: "section[aria-label=Try] button", name: /^Send/ }, LOADING_MS);
    }),
  ],
  [
    "a request has what its answer leaves of the pane, and the ends of the timeline are apart",
    small(async (page, place) => {
      const more = Array.from(
        { length: 5 },
        (_, i) => `input [ { name: "X${i}" data_type: TYPE_FP32 dims: [ 6 ] } ]`,
      );
      place.write("many/1/model.py", SLOW);
      place.write("many/config.pbtxt", [CONFIG.replace('"slow"', '"many"'), ...more].join("\n"));
      await page.see({ css: "[data-model=many] [aria-label=Ready]" }, LOADING_MS);
      await go(page, "#/models/many/try", { css: "main button:not(:disabled)", name: /^Send/ });
      await fillIn(page, "section[aria-label=Try] textarea", "abc");
      await page.driver.press("Control+Enter");
      await page.see({ css: "section[aria-label=Response] [role=alert]" });
      await page.until("no room that is free while an input is cut", async () => {
        const { hidden, free } = await page.driver.evaluate(ROOMS);
        return hidden <= 0 || free < 30;
      });
      await fillIn(page, "section[aria-label=Try] textarea", "0");
      await page.driver.press("Control+Enter");
      await page.see({ css: "section[aria-label=Response] section[aria-label=Timeline]" }, LOADING_MS);
      await page.click({ css: "section[aria-label=Timeline] button" });
      await page.until("the ends of the timeline apart", async () => {
        const apart = await page.driver.evaluate(APART);
        if (apart >= 8) return true;
        throw new Error(`${apart} pixels are between "sent" and "answered"`);
      });
    }),
  ],
  [
    "all figures of the charts are in their heads",
    small(async (page) => {
      for (const [hash, card] of [
        ["#/models/many/metrics", "Time by stage"],
        ["#/overview", "Latency in the engine"],
      ]) {
        await go(page, hash, { css: `section[aria-label='${card}']` });
        await page.reads(`section[aria-label='${card}']`, / \d[\d.]* [µm]?s/);
        await page.without("figure that is cut", () => page.driver.evaluate(FIGURES));
      }
    }),
  ],
  [
    "the list of models ends with a whole row, and says how many are below",
    small(async (page, place) => {
      for (let i = 1; i <= 6; i++) {
        place.copy("add_sub", `more_${i}`);
        const config = place.read(`more_${i}/config.pbtxt`).replace('"add_sub"', `"more_${i}"`);
        place.write(`more_${i}/config.pbtxt`, config);
      }
      await go(page, "#/overview", { css: "[data-model=more_6] [aria-label=Ready]" });
      await page.until("rows that are whole and a number of others", async () => {
        const { cut, below, said } = await page.driver.evaluate(LIST);
        return cut === 0 && below > 0 && said === `${below} more below`;
      });
      await page.click({ role: "button", name: /more below$/ });
      await page.until("the end of the list", async () => {
        const { cut, said } = await page.driver.evaluate(LIST);
        return cut === 0 && /more (below|above)$/.test(said);
      });
    }),
  ],
  [
    "the bar above a request to a model with versions has one line at 1280 pixels",
    small(async (page, place) => {
      await page.driver.resize({ width: 1280, height: 800 });
      place.copy("add_sub", "versions");
      place.copy("add_sub/1", "versions/2");
      place.write("versions/config.pbtxt", "version_policy { all {} }");
      await go(page, "#/models/versions/try", { css: "[data-version]" });
      const { height } = await page.box({ css: "section[aria-label=Try] > :first-child" });
      if (height > 40) throw new Error(`the bar has ${height} pixels, more than a line`);
    }),
  ],
  [
    "all of a new model's dialog is in sight",
    small(async (page) => {
      await page.click({ role: "button", name: /^New model/ });
      await page.click({ css: "[role=dialog] input[value=openvino]" }, LOADING_MS); // where its package is missing, the dialog says so
      await page.see({ css: "[role=dialog] input[value=openvino]:checked" });
      await page.until("all of it in sight", async () => {
        const hidden = await page.driver.evaluate(HIDDEN);
        if (hidden <= 0) return true;
        throw new Error(`${hidden} pixels of it are out of sight`);
      });
      await page.driver.press("Escape");
      await page.gone({ role: "dialog" });
    }),
  ],
  [
    "beside names of forty letters fixes are whole, a load that failed is in sight, and a refusal leads to its problem",
    small(async (page, place) => {
      place.copy("add_sub", LONG);
      const config = place.read(`${LONG}/config.pbtxt`).replace('name: "add_sub"\n', "");
      place.write(`${LONG}/config.pbtxt`, config);
      place.write(`${LONG_STEP}/1/.keep`, "");
      place.write(`${LONG_STEP}/config.pbtxt`, LONG_WIRE);
      await page.see({ css: `[data-model=${LONG}] [aria-label=Ready]` }, LOADING_MS);
      for (const width of [1280, 1024]) {
        await page.driver.resize({ width, height: 700 });
        await go(page, "#/problems", {
          css: `section[aria-label='Problems of ${LONG_STEP}/config.pbtxt'] li > button`,
          name: /INPUT1$/,
        });
        await page.without(`fix that is cut at ${width}`, () => page.driver.evaluate(CUT_FIXES));
      }
      place.write(`${LONG}/config.pbtxt`, config.replace("max_batch_size: 8", "max_batch_size: eight"));
      await go(page, `#/models/${LONG}/try`, { css: "section[aria-label=Problems] li" });
      await page.until("the load that failed in the header", () => page.driver.evaluate(FAILED));
      await page.click({ role: "button", name: "Reload" });
      await page.reads(
        "main [role=alert]",
        /was not reloaded\s+The problem in line \d+ of config\.pbtxt says why/,
      );
    }),
  ],
  [
    "the graph's list of problems has whole rows, and the others when they are asked for",
    small(async (page, place) => {
      place.write("broken_graph/1/.keep", "");
      place.write("broken_graph/config.pbtxt", brokenAll);
      await go(page, "#/models/broken_graph/graph", {
        css: "[aria-label='Broken parts of the graph'] button",
      });
      const { all, shown } = await page.until("some rows, which are whole", async () => {
        const { all, shown, cut } = await page.driver.evaluate(TROUBLES);
        if (shown < all && Math.abs(cut) <= 1) return { all, shown };
        throw new Error(`${shown} of ${all} rows, ${cut} pixels are cut`);
      });
      await page.click({ role: "button", name: `${all - shown} more` });
      await page.until("the last row", async () => (await page.driver.evaluate(TROUBLES)).shown === all);
    }),
  ],
];
