// Looking back: ranges, zooming into all charts of a page, one moment in all of them, figures that agree.
import { answered } from "./answers.mjs";

const LOADING_MS = 30_000;
const CHARTS = "[role=application]";
const picker = { css: "button", name: /\d\d:\d\d.*–.*\d\d:\d\d/ };
const requests = { css: "[aria-label='Requests per second'] .u-over" };
const wide = [
  [0.3, 0.5],
  [0.8, 0.5],
];

/** What the charts of the page say, one text each. */
const labels = (page) =>
  page.driver.evaluate(
    `[...document.querySelectorAll("${CHARTS}")].map((e) => e.getAttribute("aria-label"))`,
  );

/** The moment in the head of each card. */
const moments = (page) =>
  page.driver.evaluate(
    `[...document.querySelectorAll("section[aria-busy] > :first-child")].map((e) => e.lastChild.textContent)`,
  );

const all = (page, pattern) =>
  page.until(`all charts to say ${pattern}`, async () => {
    const texts = await labels(page);
    return texts.length >= 3 && texts.every((text) => pattern.test(text) || /CPU and memory, now/.test(text));
  });

/** Moves the pointer where no chart is. */
const away = (page) => page.driver.move(2, 2);

export const metrics = [
  [
    "a range is named at every figure, also where nothing was recorded",
    async (page) => {
      await page.see({ css: '[data-model="digits"] [role=img][aria-label^="Ready"]' }, LOADING_MS);
      for (const [name, head] of [
        ["30 d", /last 30 d/],
        ["24 h", /last 24 h/],
        ["5 min", /last 5 min/],
      ]) {
        await page.click({ role: "radio", name });
        await all(page, head);
        await page.see({ css: "table[aria-label='Models'] th", name: `Last ${name}` });
      }
    },
  ],
  [
    "dragging over a chart zooms into all of them; Escape and a double click go back",
    async (page) => {
      await page.draw(requests, [wide]);
      await page.see(picker);
      await away(page);
      await all(page, /\d\d:\d\d:\d\d–/);
      await page.draw(requests, [wide]);
      await page.driver.press("Escape");
      await page.see(picker); // the first zoom is shown again
      await page.driver.evaluate(
        `document.querySelector("${requests.css}").dispatchEvent(new MouseEvent("dblclick", { bubbles: true })); 1`,
      );
      await page.gone(picker);
      await away(page);
      await all(page, /last 5 min/);
    },
  ],
  [
    "the pointer over one chart shows the same moment in all",
    async (page) => {
      const box = await page.see(requests);
      let nudge = 0;
      await page.until("one moment in all charts", async () => {
        // New samples may come between two charts; the next move brings them together again.
        nudge = 1 - nudge;
        await page.driver.move(
          Math.round(box.x + box.width * 0.98) - nudge,
          Math.round(box.y + box.height / 2),
        );
        const [first, ...others] = await moments(page);
        if (/^\d\d:\d\d:\d\d$/.test(first) && others.every((text) => text === first)) return true;
        throw new Error(`the charts show ${[first, ...others].join(", ")}`);
      });
      await away(page);
    },
  ],
  [
    "arrows point at the same moment in all charts, also after a zoom and back",
    async (page) => {
      const chart = await page.see({ css: "[aria-label='Requests per second'] .chart-host" });
      await page.driver.evaluate(
        `document.querySelector("[aria-label='Requests per second'] .chart-host").focus(); 1`,
      );
      for (let i = 0; i < 5; i++) await page.driver.press("ArrowLeft");
      await page.painted();
      const [pointed] = await page.until("one moment in all charts", async () => {
        const shown = await moments(page);
        return /^\d\d:\d\d:\d\d$/.test(shown[0]) && shown.every((text) => text === shown[0]) && shown;
      });
      const same = (name) =>
        page.until(`${pointed} in all charts ${name}`, async () => {
          const shown = await moments(page);
          if (shown.every((text) => text === pointed)) return true;
          throw new Error(`the charts show ${shown.join(", ")}`);
        });
      for (const key of ["+", "-"]) {
        await page.driver.press(key);
        await same(`after ${key}`);
      }
      await page.driver.move(Math.round(chart.x + 60), Math.round(chart.y + 40));
      await away(page); // the pointer takes the crosshair with it
    },
  ],
  [
    "the figures of a model agree on the overview and on its page",
    async (page) => {
      await page.click({ css: "[data-model='add_sub']" });
      for (let i = 0; i < 3; i++) {
        await answered(page, () => page.click({ role: "button", name: /^Send/ }));
        await page.see({ css: "section[aria-label='Output OUTPUT1']" });
      }
      await page.click({ role: "tab", name: "Metrics" });
      const card = "section[aria-label='Latency in the engine']";
      await page.reads(card, /p50 [\d.]+ [µm]?s\s+p95 [\d.]+ [µm]?s\s+p99 [\d.]+ [µm]?s/);
      const sentence = () =>
        page.driver.evaluate(`document.querySelector("${card} [title^='Of ']")?.title ?? ""`);
      await page.until("three requests to be counted", async () =>
        /^Of 3 requests in the last 5/.test(await sentence()),
      );
      const p50 = /p50 ([\d.]+ [µm]?s)/.exec(await page.text(card))[1];
      await page.driver.evaluate("location.hash = '#/'; 1");
      const cells = () =>
        page.driver.evaluate(`(() => {
          const rows = [...document.querySelectorAll("table[aria-label='Models'] tbody tr")];
          const row = rows.find((e) => e.querySelector("button")?.textContent.includes("add_sub"));
          return [...(row?.querySelectorAll("td") ?? [])].map((e) => e.innerText.trim());
        })()`);
      await page.until("the same figures in the table", async () => {
        const texts = await cells();
        const at = texts.lastIndexOf("3");
        return at > 0 && texts[at + 1] === p50 && texts[at + 3] === "0";
      });
    },
  ],
  [
    "of more than a thousand refused requests the number and the word are whole in the overview",
    async (page) => {
      const port = await page.number("footer", /HTTP (\d+)/);
      const address = `http://127.0.0.1:${port}/v2/models/digits/infer`;
      for (let i = 0; i < 1204; i++) await (await fetch(address, { method: "POST", body: "{}" })).text();
      await page.until("the whole number in the table", async () => {
        const cut = await page.driver.evaluate(`(() => {
          const shown = [...document.querySelectorAll("td button")].find((e) => e.textContent === "1,204 refused");
          return shown && shown.scrollWidth - shown.clientWidth;
        })()`);
        if (cut <= 0) return true;
        throw new Error(cut > 0 ? `it is cut by ${cut} pixels` : "it is not there");
      });
    },
  ],
];
