// A first hour with Conch, as issue and README tell it. Each step needs the one before.
import { retype, squiggled } from "./editing.mjs";
import { findEngine } from "./processes.mjs";

const model = (name) => ({ css: `[data-model="${name}"]` });
const stateOf = (name, word) => ({ css: `[data-model="${name}"] [role=img][aria-label^="${word}"]` });
const MESSAGES = "[aria-label='Messages']";

/** Sends away the messages that are shown. */
async function dismissMessages(page) {
  const dismiss = { role: "button", name: "Dismiss", within: MESSAGES };
  await page.until("no message", async () => {
    const box = await page.box(dismiss); // it may go by itself at any time
    if (box) await page.clickAt(box.x + box.width / 2, box.y + box.height / 2);
    return !box;
  });
}
const PROBLEMS = "section[aria-label='Problems']";
const LOADING_MS = 30_000;

// A three as a mouse draws it, in shares of the paper.
const THREE = [
  [
    [0.32, 0.25],
    [0.5, 0.17],
    [0.64, 0.28],
    [0.58, 0.43],
    [0.43, 0.46],
    [0.61, 0.5],
    [0.68, 0.64],
    [0.54, 0.79],
    [0.32, 0.71],
  ],
];

export const story = [
  [
    "the repository opens and its models load",
    async (page) => {
      for (const name of ["add_sub", "digits", "digits_prepare", "read_digit"]) {
        await page.see(model(name), LOADING_MS);
        await page.see(stateOf(name, "Ready"), LOADING_MS);
      }
      await page.see({ name: /Engine: / });
    },
  ],
  [
    "names read as they are written: no face joins or changes letters",
    async (page) => {
      const joined = await page.driver.evaluate(
        `[...document.querySelectorAll("body *")].filter((e) => getComputedStyle(e).fontVariantLigatures !== "none").length`,
      );
      if (joined > 0) throw new Error(`${joined} elements may change letters`);
      const shown = `[...document.querySelectorAll("[data-model], h1, header > * button[title]")]
        .filter((e) => ![...e.querySelectorAll("span")].some(
          (part) => /^"?JetBrains Mono/.test(getComputedStyle(part).fontFamily)))
        .map((e) => e.textContent)`;
      const others = await page.driver.evaluate(`${shown}.filter((name) => !/^(Back|Forward|)$/.test(name))`);
      if (others.length > 0) throw new Error(`names that are not in the mono face: ${others.join(", ")}`);
    },
  ],
  [
    "a wrong shape is told at its place, in Triton's words, while it is typed",
    async (page) => {
      await page.click(model("digits"));
      await retype(page, { text: "dims: [ 64", old: "64", typed: "63" });
      await squiggled(page, "63");
      await page.reads(PROBLEMS, /63/);
      await page.see({ css: `${PROBLEMS} [title*="model 'digits', tensor 'image'"]` });
    },
  ],
  [
    "a syntax error and a misspelt field are told together",
    async (page) => {
      await retype(page, { text: "max_batch_size", old: "size", typed: "sise" });
      await page.reads(PROBLEMS, /max_batch_sise[\s\S]*max_batch_size/);
      await retype(page, { text: "max_batch_sise", old: "sise", typed: "size" });
      await squiggled(page, "63");
    },
  ],
  [
    "saving it as it is: the reload fails, and what was loaded keeps serving",
    async (page) => {
      await page.driver.press("Control+s");
      await page.see(stateOf("digits", "An earlier load serves"), LOADING_MS);
      await page.see({ css: "main header *", name: /^Load failed; the one before serves/ });
    },
  ],
  [
    "the fix repairs it, and the saved file is served without a click",
    async (page, place) => {
      await page.click({ role: "button", name: /^(Fix|Suggestion): / });
      await page.until("no squiggle", async () => !(await page.box({ css: ".cm-conch-error" })));
      await page.driver.press("Control+s");
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      await page.until("the repair on disk", () =>
        /dims: \[ ?64 ?\]/.test(place.read("digits/config.pbtxt")),
      );
    },
  ],
  [
    "completion knows the fields that are not set yet",
    async (page) => {
      await page.driver.press("Control+End");
      await page.driver.press("Enter");
      await page.driver.type("dynamic_b");
      await page.see({ css: ".cm-tooltip-autocomplete li", name: /dynamic_batching/ });
      await page.driver.press("Escape");
      for (let i = 0; i < "dynamic_b".length + 1; i++) await page.driver.press("Backspace");
    },
  ],
  [
    "a model is unloaded and loaded again",
    async (page) => {
      await page.click(model("add_sub"));
      await page.click({ role: "button", name: "Unload" });
      await page.see(stateOf("add_sub", "Unloaded"), LOADING_MS);
      await page.click({ role: "button", name: "Load" });
      await page.see(stateOf("add_sub", "Ready"), LOADING_MS);
    },
  ],
  [
    "add_sub answers what was typed",
    async (page) => {
      await page.click({ role: "button", name: /^Send/ });
      await page.see({ css: "section[aria-label='Response'] [aria-label^='Time by stage']" });
      // The two inputs begin with different values: their difference is not all zeros.
      await page.reads("section[aria-label='Output OUTPUT1']", /-1[\s\S]*-2[\s\S]*-3/);
    },
  ],
  [
    "back on its page, the answer has the room that it had",
    async (page) => {
      const answer = { css: "section[aria-label='Response']" };
      const { height } = await page.settled(answer);
      await page.click({ role: "tab", name: "Metrics" });
      await page.gone(answer);
      await page.click({ role: "tab", name: "Config and try" });
      await page.see(answer);
      await page.until(`an answer that is ${height} px high`, async () => {
        const after = await page.box(answer);
        if (Math.abs(after.height - height) <= 2) return true;
        throw new Error(`it is ${after.height} px high`);
      });
    },
  ],
  [
    "a drawn digit goes through the ensemble and is read",
    async (page) => {
      await page.click(model("read_digit"));
      await page.see({ role: "img", name: "Draw IMAGE" });
      await page.driver.press("Control+Enter");
      await page.reads("section[aria-label='Input IMAGE']", /Nothing is drawn yet/);
      await page.draw({ role: "img", name: "Draw IMAGE" }, THREE);
      await page.driver.press("Control+Enter");
      await page.reads("section[aria-label='Output DIGIT']", /^DIGIT[\s\S]*?\n3\n(1\.000|0\.[5-9])/);
    },
  ],
  [
    "the ensemble is a graph that is in sight as a whole with times on its steps, and at 100 % it has types on its edges",
    async (page) => {
      const drawing = "section[aria-label='Graph of read_digit'] .react-flow";
      for (const name of ["IMAGE", "digits_prepare", "prepared", "digits", "DIGIT"])
        await page.see({ css: `${drawing} strong`, name });
      await page.gone({ css: "svg[aria-label='Small map of the graph']" });
      const { x, y } = await page.box({ css: drawing });
      await page.clickAt(x + 20, y + 20);
      for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"]) await page.driver.press(key);
      await page.reads(drawing, /digits_prepare\s+[\d.]+ (?:µs|ms)/);
      await page.gone({ css: "svg[aria-label='Small map of the graph']" });
      await page.driver.press("1");
      await page.reads(drawing, /prepared\s+FP32 \[-1, 64\]/);
      await page.see({ css: "svg[aria-label='Small map of the graph']" });
      await page.see({ css: "[aria-label='Where the time went'] [aria-label^='digits_prepare: ']" });
    },
  ],
  [
    "the timeline says what happened to the request when; what went between the steps is shown when asked for",
    async (page) => {
      await page.click({ role: "button", name: "Timeline" });
      await page.reads(
        "section[aria-label='Timeline']",
        /1 · digits_prepare[\s\S]*batch of 1, alone[\s\S]*2 · digits/,
      );
      await dismissMessages(page); // one of them may lie over what is clicked next
      await page.click({ css: "label", name: "Keep the tensors between steps" });
      await page.see({ css: "label input:checked" });
      await page.driver.press("Control+Enter");
      await page.click({ role: "button", name: /^Step 1 · digits_prepare/ });
      await page.see({ css: "section[aria-label='prepared given by digits_prepare']" });
    },
  ],
  [
    "the requests are in the metrics and in the history",
    async (page) => {
      await page.click({ role: "tab", name: "Metrics" });
      await page.see({ css: "[aria-label='Metrics of read_digit'] canvas" });
      await page.click({ role: "button", name: "Conch: show the repository" });
      await page.click({ role: "tab", name: "Requests" });
      await page.reads("main", /read_digit[\s\S]*add_sub/);
    },
  ],
  [
    "a file that changes on disk under an edit asks",
    async (page, place) => {
      await page.click(model("add_sub"));
      await page.click({ role: "tab", name: "Config and try" });
      await retype(page, { text: "max_batch_size: 8", old: "8", typed: "4" });
      place.write("add_sub/config.pbtxt", place.read("add_sub/config.pbtxt").replace("size: 8", "size: 16"));
      await page.see({ role: "alert", name: /config\.pbtxt changed on disk/ });
      await page.until("the three ways on in one line", async () => {
        const names = ["Overwrite the file", "Show difference", "Drop this text"];
        const boxes = await Promise.all(names.map((name) => page.box({ role: "button", name })));
        const places = boxes.map((box) => box?.y);
        if (places.every((y) => y !== undefined && y === places[0])) return true;
        throw new Error(`they are at ${places.join(", ")}`);
      });
    },
  ],
  [
    "the engine is killed: it comes back, its models too, and the unsaved text is untouched",
    async (page) => {
      process.kill(findEngine(process.pid), "SIGKILL");
      await page.reads(MESSAGES, /engine/i);
      await page.see(stateOf("read_digit", "Ready"), LOADING_MS);
      await page.see({ css: "[data-model='add_sub'] [aria-label='Edited, not saved']" });
      await page.reads(".cm-content", /max_batch_size: 4/);
    },
  ],
  [
    "reloading from disk drops the edit, and the new config serves",
    async (page) => {
      await page.click({ role: "button", name: "Drop this text", css: "[role=alert] button" });
      await page.reads(".cm-content", /max_batch_size: 16/);
      await page.see(stateOf("add_sub", "Ready"), LOADING_MS);
    },
  ],
];
