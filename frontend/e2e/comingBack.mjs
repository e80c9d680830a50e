// Closing Conch and coming back: the same page, the same place in the text, the same answers; and how one begins.
import { join } from "node:path";
import { retype } from "./editing.mjs";
import { Page } from "./page.mjs";
import { findEngine } from "./processes.mjs";

const model = (name) => ({ css: `[data-model="${name}"]` });
const stateOf = (name, word) => ({ css: `[data-model="${name}"] [role=img][aria-label^="${word}"]` });
const LOADING_MS = 30_000;
const LINES = 120;

const scrollTop = (page) => page.driver.evaluate("document.querySelector('.cm-scroller')?.scrollTop ?? 0");

/** Where the text is scrolled to, once that changes no more: heights are estimated until they are seen. */
async function restsAt(page) {
  const { top } = await page.until("the text to rest", async () => {
    const before = await scrollTop(page);
    await page.painted();
    const top = await scrollTop(page);
    return top === before && { top };
  });
  return top;
}

const sidebar = (page) => page.box({ css: "nav[aria-label='Model list']" });
const separator = { css: "[role=separator][title='Width of the sidebar']" };

/** Runs what changes the place, and waits until the app has answered that it is kept, and not the place before. */
async function kept(page, change) {
  await page.driver.evaluate(`(() => {
    const real = window.conchFetch ?? window.fetch;
    window.conchFetch = real;
    window.conchKept = 0;
    window.fetch = async (...asked) => {
      const url = asked[0].url ?? asked[0];
      const { body } = asked[1] ?? {};
      const said = body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body ?? "");
      const answer = await real(...asked);
      if (url.includes("KeepPlace") && said.includes(location.hash)) window.conchKept++;
      return answer;
    };
    return 1;
  })()`);
  await change();
  await page.until("the place to be kept", () => page.driver.evaluate("window.conchKept > 0"));
}

export const comingBack = [
  [
    "a request is answered, and a long text is scrolled to its end",
    async (page, place) => {
      const config = place.read("digits/config.pbtxt");
      const lines = Array.from({ length: LINES }, (_, i) => `# line ${i}\n`).join("");
      place.write("digits/config.pbtxt", config + lines);
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      await page.see(stateOf("add_sub", "Ready"), LOADING_MS);
      await page.click(model("add_sub"));
      await page.click({ role: "button", name: /^Send/ });
      await page.see({ css: "section[aria-label='Output OUTPUT1']" });
      await page.click(model("digits"));
      await page.reads(".cm-content", /# line 0/);
      await retype(page, { text: "max_batch_size", old: "", typed: "" }); // the cursor is in the text now
      await kept(page, () => page.driver.press("Control+End"));
      await page.until("the end of the text", async () => (await scrollTop(page)) > 500);
    },
  ],
  [
    "a separator is moved, just before the window closes",
    async (page) => {
      const box = await page.see(separator);
      const at = [box.x + box.width / 2, box.y + box.height / 2];
      await page.driver.move(...at);
      await page.driver.down();
      for (const step of [20, 40, 60]) await page.driver.move(at[0] + step, at[1]);
      await page.driver.up();
      await page.until("the separator to be there", async () => (await page.box(separator)).x > box.x + 55);
    },
  ],
  [
    "closed and started again it shows the same page, scrolled to the same line, and the panes as they were",
    async (page) => {
      const before = { top: await restsAt(page), width: (await sidebar(page)).width };
      await page.reopen();
      await page.see({ ...model("digits"), css: "[aria-selected=true]" }, LOADING_MS);
      await page.until(`to be scrolled to ${before.top}`, async () => {
        const top = await scrollTop(page);
        if (Math.abs(top - before.top) < 10) return true; // half a line, as such estimates differ
        throw new Error(`scrolled to ${top}`);
      });
      await page.until(
        "the same width",
        async () => Math.abs((await sidebar(page)).width - before.width) < 2,
      );
    },
  ],
  [
    "the last answer of another model is there again",
    async (page) => {
      await kept(page, () => page.click(model("add_sub")));
      await page.see({ css: "section[aria-label='Output OUTPUT1']" });
      await kept(page, () => page.click({ role: "tab", name: "Files" }));
    },
  ],
  [
    "without a repository the last one is opened, at the same tab",
    async (page, place) => {
      place.args = [];
      await page.reopen();
      await page.see({ css: "[role=tab][aria-selected=true]", name: "Files" }, LOADING_MS);
      await page.see({ ...model("add_sub"), css: "[aria-selected=true]" });
      // No command line says so now, so the window asks.
      await page.click({ role: "button", name: /^Trust$/ });
      await page.see(stateOf("say_digit", "Ready"), LOADING_MS);
    },
  ],
  [
    "a second start on the same repository shows the first, and runs no second engine",
    async (page, place) => {
      const engine = findEngine(process.pid);
      for (const args of [[], [place.repository]]) {
        place.args = args;
        const said = await page.driver.second();
        const expected = page.driver.restartServer
          ? /^Conch is at http:\S+\nIt was running already/
          : /in front now/;
        if (!expected.test(said)) throw new Error(`the second start said: ${said}`);
      }
      if (findEngine(process.pid) !== engine) throw new Error("the engine is another");
      place.args = [];
    },
  ],
  [
    "a tab outlives a restart of the server, and says how to go on when the token was changed",
    async (page) => {
      if (!page.driver.restartServer) page.skip("the window has neither port nor token");
      await page.driver.restartServer([], async () => {
        await page.see({ css: "section[aria-label='The workbench does not answer']" });
        await page.see(stateOf("add_sub", "Last known: Ready"));
        for (const name of [/^Load all$/, /^New model$/])
          await page.see({ css: "nav button:disabled", name });
        await page.reads("footer[aria-label='Status']", /No problems, as last known/);
      });
      await page.see({ name: /Engine: Engine ready/ }, LOADING_MS);
      await page.see({ css: "nav button:not(:disabled)", name: /^Load all$/ });
      const address = await page.driver.restartServer(["--new-token"]);
      await page.see({ role: "heading", name: "This page needs a token" }, LOADING_MS);
      await page.click({ role: "textbox", name: "Address or token" });
      await page.driver.type(address);
      await page.click({ role: "button", name: "Continue" });
      await page.see({ name: /Engine: Engine ready/ }, LOADING_MS);
      await page.see({ ...model("add_sub"), css: "[aria-selected=true]" });
    },
  ],
  [
    "a second tab needs no token while the first is open, and gets none when it is closed",
    async (page) => {
      if (!page.driver.tab) page.skip("the window has no tabs");
      const origin = await page.driver.evaluate("location.origin");
      const second = new Page(await page.driver.tab(origin));
      await second.see({ name: /Engine: Engine ready/ }, LOADING_MS);
      await second.driver.close();
      await page.driver.leave();
      const alone = new Page(await page.driver.tab(origin));
      await alone.see({ role: "heading", name: "This page needs a token" }, LOADING_MS);
      await alone.driver.close();
      await page.reopen();
      await page.see({ name: /Engine: Engine ready/ }, LOADING_MS);
    },
  ],
  [
    "a model's own folder leads to the repository above it",
    async (page, place) => {
      place.args = [join(place.repository, "digits")];
      await page.reopen();
      await page.reads("main", /is one model, not a repository of models/);
      await page.see({ css: "nav[aria-label='Opened recently'] button" });
      const moved = `(() => {
        const actions = document.querySelector("main pre + div button");
        const list = document.querySelector("nav[aria-label='Opened recently']");
        const top = () => actions.getBoundingClientRect().top;
        const after = top();
        list.style.display = "none";
        const before = top();
        list.style.display = "";
        return after - before;
      })()`;
      await page.until("buttons that the list, which comes later, does not move", async () => {
        const pixels = await page.driver.evaluate(moved);
        if (pixels === 0) return true;
        throw new Error(`they are moved by ${pixels} pixels`);
      });
      await page.click({ role: "button", name: "Open repository" });
      await page.see(model("read_digit"), LOADING_MS);
    },
  ],
  [
    "at the very first start it says how to begin, and opens the examples",
    async (page, place) => {
      place.args = [];
      place.data = join(place.dir, "fresh");
      await page.reopen();
      await page.see({ role: "heading", name: "Welcome to Conch" });
      const inside = `(() => {
        const right = (e) => e.getBoundingClientRect().right;
        const buttons = [...document.querySelectorAll("main pre + div button")];
        return buttons.length > 1 && buttons.every((e) => right(e) < right(e.closest("main > div")));
      })()`;
      await page.until("buttons that end inside of their card", () => page.driver.evaluate(inside));
      await page.click({ role: "button", name: "Open the examples" });
      await page.see(stateOf("read_digit", "Ready"), LOADING_MS);
    },
  ],
];
