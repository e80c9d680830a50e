// Everything larger, as people with weak eyes have it: nothing is cut, the size is remembered, and scroll bars have a
// place of their own. The desktop window has keys for it; in a browser its own zoom leaves the page as much less room.
import { cpSync, renameSync } from "node:fs";
import { join } from "node:path";
import { at } from "./accessSteps.mjs";
import { retype } from "./editing.mjs";
import { command } from "./handsOnKeys.mjs";
import { CLIENTS, narrow } from "./narrow.mjs";

const LOADING_MS = 30_000;
const isWindow = (page) => page.driver.resize === undefined;

// What can be used and lies, as a whole or in part, behind the edge of something that does not scroll.
const CUT = `(() => {
  const cut = [];
  const shown = (e) => { const r = e.getBoundingClientRect(); return r.width > 1 && r.height > 1 && getComputedStyle(e).visibility !== "hidden"; };
  for (const e of document.querySelectorAll("button, input, textarea, [role=tab], [role=option], [role=menuitem], [tabindex='0']")) {
    if (!shown(e) || e.closest(".react-flow, .visually-hidden, [aria-hidden=true], [inert]")) continue;
    const name = (e.getAttribute("aria-label") ?? e.textContent ?? "").trim().slice(0, 40) || e.tagName;
    let box = e.getBoundingClientRect();
    let { left, right } = box;
    for (let over = e.parentElement; over; over = over.parentElement) {
      const { overflowX } = getComputedStyle(over);
      if (overflowX === "auto" || overflowX === "scroll") { left = right = undefined; break; }
      if (overflowX === "visible") continue;
      const edge = over.getBoundingClientRect();
      if (left < edge.left - 1 || right > edge.right + 1) { cut.push(name + " in " + (over.className || over.tagName)); break; }
    }
    if (e.tagName === "BUTTON" && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX === "visible") cut.push(name + " is wider than its button");
    if (left !== undefined && (left < -1 || right > innerWidth + 1)) cut.push(name + " at the window's edge");
  }
  return [...new Set(cut)];
})()`;

const tab = (name) => ({ css: "[role=tab][aria-selected=true]", name });
const pressing = (key, seen) => async (page) => {
  await page.driver.press(key);
  await page.see(seen);
};

const screens = [
  ["overview", at("#/overview", tab(/^Overview/))],
  ["requests", at("#/requests", tab(/^Requests/))],
  ["problems", at("#/problems", tab(/^Problems/))],
  ["log", at("#/log", tab(/^Log/))],
  ["config and try", at("#/models/digits/try", { css: ".cm-content" })],
  ["search", pressing("Control+f", { css: "search input[aria-label=Find]" })],
  ["graph and try", at("#/models/read_digit/try", { css: "[aria-label='Graph of read_digit']" })],
  ["metrics", at("#/models/digits/metrics", { css: "[aria-label='Metrics of digits']" })],
  ["files", at("#/models/digits/files", tab(/^Files/))],
  ["keys", pressing("F1", { role: "dialog" }), "Escape"],
  ["palette", pressing("Control+k", { css: "[cmdk-item]" }), "Escape"],
];

/** Looks at every screen, and names what is cut on the first where something is. */
async function lookAt(page) {
  for (const [name, open, leave] of screens) {
    await open(page);
    await page.without(`part of "${name}" that is cut`, () => page.driver.evaluate(CUT));
    if (leave) {
      await page.driver.press(leave);
      await page.gone({ css: "[role=dialog]" });
    }
  }
}

const width = (page) => page.driver.evaluate("innerWidth");

/** Makes everything larger until the window has room for so many pixels only. */
async function leave(page, pixels) {
  if (!isWindow(page)) return page.driver.resize({ width: pixels, height: Math.round((pixels * 5) / 8) });
  for (let step = 0; step < 10 && (await width(page)) > pixels; step++) {
    const before = await width(page);
    await page.driver.press("Control+plus");
    await page.until("everything to be larger", async () => (await width(page)) < before);
  }
}

/** A name as long as people give them, and a version as they write it: the day. */
const LONG = "customer_segmentation_pipeline_v12_fp16_b";

/** The mouse of the desktop window does not know of a larger size, so a press is the page's own. */
async function press(page, query) {
  await page.see(query, LOADING_MS);
  const name = JSON.stringify(query.name?.source ?? "");
  await page.driver.evaluate(`[...document.querySelectorAll(${JSON.stringify(query.css)})]
    .find((e) => new RegExp(${name}).test(e.textContent)).click()`);
}

const pieces = async (page, css) =>
  page.driver.evaluate(`[...document.querySelectorAll(${JSON.stringify(css)})].map((e) => {
    const { right, bottom } = e.getBoundingClientRect();
    return { text: e.textContent, right, bottom };
  })`);

const messages = "[aria-label=Messages] > *";
const problems = "section[aria-label=Problems]";
const answer = "section[aria-label=Response]";

/** Breaks models that are not looked at, and waits for the message of each failure. */
async function failed(page, place, ...models) {
  for (const name of models) {
    const path = `${name}/config.pbtxt`;
    place.write(path, place.read(path).replace(/dims: \[ (\d+)/, "dims: [ 9$1"));
    await page.until(`a message on ${name}`, async () =>
      (await pieces(page, messages)).some(({ text }) => text.includes(name)),
    );
  }
}

/** No message lies over the problem list, the answer, the request, or the list of models where that is shown. */
async function coversNothing(page, ...others) {
  const parts = [problems, answer, "section[aria-label=Try]", ...others];
  const covered = `(() => {
    const boxes = (css) => [...document.querySelectorAll(css)].map((e) => e.getBoundingClientRect());
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return ${JSON.stringify(parts)}.filter((css) =>
      boxes(css).length !== 1 || boxes(${JSON.stringify(messages)}).some((one) => meet(one, boxes(css)[0])));
  })()`;
  await page.without("part that messages cover, or that is not shown", () => page.driver.evaluate(covered));
}

export const sizes = [
  [
    "at 125 % nothing is cut",
    async (page) => {
      await page.see({ css: "[data-model=digits]" }, LOADING_MS);
      await leave(page, 1024);
      await lookAt(page);
    },
  ],
  [
    "at 125 % short names are whole in the overview",
    async (page) => {
      await at("#/overview", { css: "table[aria-label=Models] button[data-index]" })(page);
      const names = () => pieces(page, "table[aria-label=Models] button[data-index] [aria-hidden=true]");
      await page.until("a name of fourteen letters", async () =>
        (await names()).some(({ text }) => text === "digits_prepare"),
      );
    },
  ],
  [
    "at 125 % a long name and version leave room for the state",
    async (page, place) => {
      place.copy("add_sub", LONG);
      renameSync(join(place.repository, LONG, "1"), join(place.repository, LONG, "20261123"));
      const config = place.read(`${LONG}/config.pbtxt`).replace('"add_sub"', `"${LONG}"`);
      place.write(`${LONG}/config.pbtxt`, config);
      await page.see({ css: `[data-model=${LONG}] [aria-label=Ready]` }, LOADING_MS);
      await at(`#/models/${LONG}/try`, { css: "main h1" })(page);
      await page.until("the state beside the name", async () => {
        const [name] = await pieces(page, "main h1");
        const chips = await pieces(page, "main header span");
        return chips.some(({ text, bottom }) => text === "Ready" && bottom <= name.bottom + 2);
      });
    },
  ],
  [
    "at 125 % the clients of refused requests are one column, and the times and the reason end in sight beside the detail",
    async (page) => {
      const port = await page.number("footer", /HTTP (\d+)/);
      for (const model of [...Array(3).fill("nothing_that_is_here"), "nor_here"]) {
        await fetch(`http://127.0.0.1:${port}/v2/models/${model}/infer`, { method: "POST", body: "{}" });
      }
      await at("#/requests", tab(/^Requests/))(page);
      await press(page, { css: "[role=radio]", name: /^Refused by the ports/ });
      await page.until("clients in one column beside a count and none", () => page.driver.evaluate(CLIENTS));
      await press(page, { css: "[aria-label^='Refused requests'] button" });
      await page.see({ css: "[aria-label^='Refused requests'] button[aria-pressed=true]" });
      await page.until("the row in its list", async () => {
        const [list] = await pieces(page, "[aria-label^='Refused requests']");
        const parts = await pieces(page, "[aria-label^='Refused requests'] button > span");
        return parts.length > 0 && parts.every(({ right }) => right <= list.right);
      });
    },
  ],
  [
    "at 125 % Send is whole beside a choice of versions",
    async (page, place) => {
      cpSync(join(place.repository, "digits", "1"), join(place.repository, "digits", "2"), {
        recursive: true,
      });
      place.write(
        "digits/config.pbtxt",
        `${place.read("digits/config.pbtxt")}\nversion_policy: { all {} }\n`,
      );
      await at("#/models/digits/try", { css: "[data-version]" })(page);
      await page.without("part that is cut", () => page.driver.evaluate(CUT));
    },
  ],
  [
    "a badge is whole while the facts beside it give way",
    async (page, place) => {
      if (isWindow(page)) await page.driver.press("Control+0");
      else await page.driver.resize({ width: 1280, height: 800 });
      await page.until("the normal size", async () => (await width(page)) === 1280);
      const name = "document_classifier_v2";
      place.copy("add_sub", name);
      const config = place.read(`${name}/config.pbtxt`).replace('"add_sub"', `"${name}"`);
      place.write(`${name}/config.pbtxt`, `${config}\ninstance_group [ { kind: KIND_GPU } ]\n`);
      await page.see({ css: `[data-model=${name}] [aria-label=Ready]` }, LOADING_MS);
      await at(`#/models/${name}/try`, { css: "main header span", name: /^KIND_GPU, runs on CPU here$/ })(
        page,
      );
      const room = `(() => {
        const header = document.querySelector("main header");
        const badge = [...header.querySelectorAll("span")].filter((e) => e.textContent.startsWith("KIND_GPU")).at(-1);
        const facts = [...header.querySelectorAll("div")].find((e) => e.title.includes("ONNX Runtime"));
        return { cut: badge.scrollWidth - badge.clientWidth, shown: facts.clientWidth, asked: facts.scrollHeight > 30 };
      })()`;
      await page.until("facts that give way, and a badge that does not", async () => {
        const { asked, cut, shown } = await page.driver.evaluate(room);
        if (asked && cut <= 0) return true;
        throw new Error(`${cut} of the badge are cut while the facts have ${shown}`);
      });
    },
  ],
  [
    "at 200 % nothing is cut",
    async (page) => {
      await leave(page, 640);
      await page.see({ role: "button", name: "Models" });
      await lookAt(page);
    },
  ],
  [
    "the list of models lies over the page, and is gone when one is chosen",
    async (page) => {
      await page.driver.press("Control+b");
      await page.see({ css: "[role=dialog] [data-model=add_sub]" });
      await page.see({ css: "[role=dialog] :focus" });
      await page.driver.press("Tab");
      await page.driver.press("ArrowDown");
      await page.gone({ css: "[role=dialog]" });
      await page.see({ css: "main h1" });
    },
  ],
  [
    "the size is remembered, and the normal one comes back with a key and from the palette",
    async (page) => {
      if (!isWindow(page)) return page.driver.resize({ width: 1280, height: 800 });
      await page.reopen();
      await page.until("the size that was chosen", async () => (await width(page)) === 640, LOADING_MS);
      await page.driver.press("Control+0");
      await page.until("the normal size", async () => (await width(page)) === 1280);
      await command(page, "larger");
      await page.until("a larger one", async () => (await width(page)) < 1280);
      await command(page, "normal size");
      await page.until("the normal size", async () => (await width(page)) === 1280);
    },
  ],
  [
    "scroll bars lie beside the text and not over its last line",
    async (page, place) => {
      place.write(
        "digits/config.pbtxt",
        `${place.read("digits/config.pbtxt")}\n# ${"a long line ".repeat(40)}\n${"#\n".repeat(80)}`,
      );
      await at("#/models/digits/config", { css: ".cm-scroller" })(page);
      const room = `(() => { const s = document.querySelector(".cm-scroller");
        return { below: s.offsetHeight - s.clientHeight, beside: s.offsetWidth - s.clientWidth,
          styled: getComputedStyle(s, "::-webkit-scrollbar").height }; })()`;
      // Chromium without a screen has no bars at all: there what the page asks for is looked at.
      const wide = ({ below, beside, styled }) =>
        isWindow(page) ? below >= 8 && beside >= 8 : styled === "10px";
      await page.until("bars with a place of their own", async () => wide(await page.driver.evaluate(room)));
    },
  ],
  [
    "messages of models that fail cover nothing, with the sidebar and without it",
    async (page, place) => {
      await page.see({ css: "[data-model=digits] [aria-label=Ready]" }, LOADING_MS);
      place.copy("digits", "failing");
      const config = place.read("failing/config.pbtxt").replace('"digits"', '"failing"');
      place.write("failing/config.pbtxt", config);
      await page.see({ css: "[data-model=failing] [aria-label=Ready]" }, LOADING_MS);
      await at("#/models/add_sub/try", { css: "main button:not(:disabled)", name: /^Send/ })(page);
      await page.driver.press("Control+Enter");
      await page.see({ css: answer });
      await retype(page, { text: "max_batch_size", old: "size", typed: "sise" });
      await page.reads(problems, /max_batch_sise/);
      await failed(page, place, "digits", "digits_prepare");
      await coversNothing(page, "[role=listbox][aria-label=Models]");
      await page.driver.press("Control+b");
      await page.gone({ css: "[data-model=digits]" });
      await failed(page, place, "failing");
      await coversNothing(page);
    },
  ],
  ...narrow,
];
