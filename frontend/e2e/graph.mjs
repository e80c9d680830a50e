// The graph of an ensemble: a large one is laid out beside the page, and what is broken is mended from it.
import { broken, chain } from "./graphPlaces.mjs";

const LOADING_MS = 30_000;
const model = (name) => ({ css: `[data-model="${name}"]` });
const graph = (name) => `section[aria-label='Graph of ${name}']`;
const problems = { css: "[aria-label='Broken parts of the graph'] button" };
const fix = { css: "section[aria-label^='Details of'] button", name: /INPUT1/ };

/** Notes what the page's workers answer. */
const WATCH_WORKERS = `(() => {
  const Real = window.Worker;
  window.conchAnswers = [];
  window.Worker = class extends Real {
    constructor(...how) {
      super(...how);
      this.addEventListener("message", ({ data }) => window.conchAnswers.push(data));
    }
  };
})()`;

async function select(page, name) {
  await page.see(model(name), LOADING_MS);
  await page.click(model(name));
  await page.see({ css: graph(name) });
  await page.click(problems);
  await page.see({ css: "section[aria-label^='Details of']" });
}

/** A fix has the colour of what can be done, as in the list of problems. */
async function looksLikeAnAction(page) {
  await page.see(fix);
  const colors = await page.driver.evaluate(`(() => {
    const button = [...document.querySelectorAll(${JSON.stringify(fix.css)})].find((e) => ${fix.name}.test(e.textContent));
    const accent = document.body.appendChild(document.createElement("i"));
    accent.style.color = "var(--accent)";
    const colors = [button, accent].map((e) => getComputedStyle(e).color);
    accent.remove();
    return colors;
  })()`);
  if (colors[0] !== colors[1]) throw new Error(`the fix is ${colors[0]}, and actions are ${colors[1]}`);
}

const placeOfSteps = (page) =>
  page.driver.evaluate("document.querySelector('.react-flow__node').getBoundingClientRect().x");

export const graphStory = [
  [
    "a worker lays an ensemble of 200 steps out",
    async (page, place) => {
      await page.see(model("digits"), LOADING_MS);
      place.write("chain/config.pbtxt", chain);
      place.write("chain/1/.keep", "");
      await page.see(model("chain"), LOADING_MS);
      await page.driver.evaluate(WATCH_WORKERS);
      await page.click(model("chain"));
      await page.see({ css: `${graph("chain")} .react-flow__node` });
      const boxes = await page.driver.evaluate(
        "window.conchAnswers.map(({ answer }) => answer?.boxes?.length)",
      );
      // The steps, the ensemble's input and its output.
      if (!boxes.includes(202)) throw new Error(`the workers answered ${JSON.stringify(boxes)}`);
      await page.see({ css: "svg[aria-label='Small map of the graph']" });
    },
  ],
  [
    "the drawing is laid out apart from the page, so that moving it moves nothing else",
    async (page) => {
      const apart = await page.driver.evaluate(`(() => {
        let strict = 0;
        for (let at = document.querySelector(".react-flow"); at.tagName !== "SECTION"; at = at.parentElement)
          if (getComputedStyle(at).contain === "strict") strict++;
        return strict;
      })()`);
      if (apart !== 1) throw new Error(`${apart} boxes around the drawing are laid out apart`);
      const pane = { css: ".react-flow__pane" };
      const { x, y, width, height } = await page.box(pane);
      const [before, far] = [await placeOfSteps(page), 60];
      await page.driver.move(x + width - 20, y + height - 20);
      await page.driver.down();
      await page.driver.move(x + width - 20 - far, y + height - 20);
      await page.driver.up();
      await page.until("the steps to move", async () => (await placeOfSteps(page)) < before);
      const after = await page.box(pane);
      if (after?.height !== height) throw new Error(`the drawing is ${after?.height} px high, not ${height}`);
    },
  ],
  [
    "a broken step is mended from the graph",
    async (page, place) => {
      place.write("pair/config.pbtxt", broken);
      place.write("pair/1/.keep", "");
      await select(page, "pair");
      await looksLikeAnAction(page);
      await page.click(fix);
      await page.until("the repair on disk", () => !place.read("pair/config.pbtxt").includes("INPUT_1"));
      await page.gone(problems);
    },
  ],
  [
    "a fix of a text with unsaved changes goes into that text",
    async (page, place) => {
      place.write("other/config.pbtxt", broken);
      place.write("other/1/.keep", "");
      await page.see(model("other"), LOADING_MS);
      await page.click(model("other"));
      await page.click({ role: "tab", name: "Config" });
      await page.click({ css: ".cm-line" });
      await page.driver.press("Control+Home");
      await page.driver.type("# mine");
      await page.driver.press("Enter");
      await page.reads(".cm-content", /^# mine\s+platform/);
      await page.click({ role: "tab", name: "Graph and try" });
      await page.reads(graph("other"), /Drawn from the unsaved text/);
      await select(page, "other");
      await page.click(fix);
      await page.gone(problems);
      if (place.read("other/config.pbtxt") !== broken) throw new Error("the fix was written to disk");
      await page.click({ role: "tab", name: "Config" });
      await page.reads(".cm-content", /# mine[\s\S]*t0/);
      await page.click({ role: "button", name: /^Save/ });
      await page.until("mine and the repair on disk", () => {
        const text = place.read("other/config.pbtxt");
        return text.startsWith("# mine") && !text.includes("INPUT_1");
      });
    },
  ],
];
