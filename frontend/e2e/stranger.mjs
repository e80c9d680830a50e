// What strangers try: a repository with code of its own, and a web page that uses the engine's port.
import { createServer } from "node:http";
import { openChromium } from "./drivers/chromium.mjs";
import { startServe } from "./workplace.mjs";

const LOADING_MS = 30_000;
const STATUS = "footer[aria-label='Status']";
const ASKED = { css: "section[aria-label='Trust this repository?']" };
const EVIL = "evil.example";
const stateOf = (name, word) => ({ css: `[data-model="${name}"] [role=img][aria-label^="${word}"]` });
const setting = (name) => ({ css: "[role=menuitemcheckbox]", name });

/** A web site of its own, on a free port. */
async function startSite() {
  const server = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html").end("<title>evil</title>");
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { origin: `http://${EVIL}:${server.address().port}`, stop: () => server.close() };
}

/** Opens an address in a browser to which EVIL is this machine, as after a rebinding. */
const visit = (url) =>
  openChromium(url, {
    size: { width: 400, height: 300 },
    extra: [`--host-resolver-rules=MAP ${EVIL} 127.0.0.1`],
  });

/** What a script of the page gets: a status, 0 where it may not see the answer, or how it failed. */
const ask = (driver, url, request) =>
  driver.evaluate(`fetch(${JSON.stringify(url)}, ${JSON.stringify(request)})
    .then((answer) => answer.status, (error) => String(error))`);

/** As a form sends it: a browser asks nobody before. */
const asForm = { method: "POST", mode: "no-cors", headers: { "Content-Type": "text/plain" }, body: "{}" };

const ODD = "数字 50%#?";

/** How long the page of the API may take to answer. */
const SENT_MS = 20_000;

/** Chooses a model on the page of the API, sends the example of the operation at its end of the path, and gives the answer. */
const sent = (model, end) => `(async () => {
  const ends = performance.now() + ${SENT_MS};
  const until = async (what, probe) => {
    for (;;) {
      const it = probe();
      if (it) return it;
      if (performance.now() > ends) throw new Error("the page of the API does not show " + what);
      await new Promise(requestAnimationFrame);
    }
  };
  const select = await until("the model", () => document.querySelector('#model option[value=${JSON.stringify(model)}]')?.parentElement);
  select.value = ${JSON.stringify(model)};
  select.dispatchEvent(new Event("change"));
  const all = () => [...document.querySelectorAll("details")];
  const answer = await until("the answer", () => { // looked for each time: a page that still opens replaces its rows
    const row = all().find((one) => one.querySelector("code")?.textContent === ${JSON.stringify(`/v2/models/${model}${end}`)});
    if (!row) return;
    row.open = true;
    const button = row.querySelector("button");
    if (!button || button.disabled) return;
    if (row.querySelector("[role=status]").textContent.length > 1) return row.querySelector("[role=status] + pre");
    button.click();
  });
  return answer.textContent;
})()`;

/** Chooses the server and at once a model, whose document comes first, and gives the path of the first operation that is shown in the end. */
const overtaken = (model) => `(async () => {
  const { fetch } = window;
  const select = document.querySelector("#model");
  const choose = (value) => {
    select.value = value;
    select.dispatchEvent(new Event("change"));
  };
  const first = () => document.querySelector("details code")?.textContent ?? "";
  let release;
  const shown = new Promise((resolve) => { release = resolve; });
  const late = new Promise((resolve) => {
    window.fetch = async (url, init) => {
      if (!String(url).endsWith("/v2/openapi.json")) return fetch(url, init);
      await shown;
      const answer = await fetch(url, init);
      const document = await answer.json();
      setTimeout(resolve); // after the page has dealt with it
      return { ok: true, json: async () => document };
    };
  });
  choose("");
  choose(${JSON.stringify(model)});
  const ends = performance.now() + ${SENT_MS};
  document.querySelector("#operations").replaceChildren();
  while (!first().includes("/models/")) {
    if (performance.now() > ends) throw new Error("the page of the API does not show the document of the model");
    await new Promise(requestAnimationFrame);
  }
  release();
  await late;
  window.fetch = fetch;
  return first();
})()`;

const same = (what, got, want) => {
  if (got !== want) throw new Error(`${what}: ${got}, want ${want}`);
};

const enginePort = (page) => page.number(STATUS, /HTTP (\d+)/);
const ready = async (address, model) => (await fetch(`http://${address}/v2/models/${model}/ready`)).status;

export const stranger = [
  [
    "a repository with code of its own: the window asks, and what needs no trust works",
    async (page, place) => {
      await place.distrust(page);
      const config = place.read("add_sub/config.pbtxt").replace(/^name: .*$/m, "");
      place.copy("add_sub", "custom");
      place.write(
        "custom/config.pbtxt",
        `${config}\nmodel_operations { op_library_filename: "libnowhere.so" }\n`,
      );
      await page.see(ASKED, LOADING_MS);
      await page.reads(
        ASKED.css,
        /custom and say_digit run the program model\.py and the library libnowhere\.so[\s\S]*2 models will not load/,
      );
      await page.click({ css: "[data-model='custom']" });
      await page.click({ role: "button", name: "Load" });
      await page.see({ css: "[role=alert]", name: /this repository is not trusted/i }, LOADING_MS);
      await page.see(stateOf("add_sub", "Ready"), LOADING_MS);
    },
  ],
  [
    "who does not trust it is asked no more, and may change the answer in the settings",
    async (page) => {
      await page.click({ role: "button", name: "Do not trust" });
      await page.gone(ASKED);
      await page.click({ role: "button", name: "Settings" });
      await page.click(setting(/^Trust this repository/));
      await page.reads("main", /libnowhere\.so: cannot open shared object file/, LOADING_MS);
    },
  ],
  [
    "a config that a client brings is told of beside the model, and the file's is taken again",
    async (page) => {
      const chip = { css: "header span", name: "A client's config" };
      await page.click({ css: "[data-model='add_sub']" });
      await page.click({ role: "button", name: "Settings" });
      await page.click(setting(/^Take configs from clients/));
      await page.gone({ role: "menu" });
      await page.click({ role: "button", name: "Settings" });
      await page.see({ css: "[role=menuitemcheckbox][aria-checked=true]", name: /^Take configs/ });
      await page.driver.press("Escape");
      const add = `http://127.0.0.1:${await enginePort(page)}/v2`;
      const config = await (await fetch(`${add}/models/add_sub/config`)).json();
      const parameters = { config: JSON.stringify({ ...config, max_batch_size: 4 }) };
      const load = { method: "POST", body: JSON.stringify({ parameters }) };
      same("the load", (await fetch(`${add}/repository/models/add_sub/load`, load)).status, 200);
      await page.see(chip);
      await page.reads("section[aria-label='Try']", /config of its own[\s\S]*up to 4/);
      await page.click({ role: "button", name: "Reload from the file" });
      await page.gone(chip);
      await page.reads("section[aria-label='Try']", /up to 8/);
    },
  ],
  [
    "a page of another site neither reads nor changes anything",
    async (page) => {
      const address = `127.0.0.1:${await enginePort(page)}`;
      const engine = `http://${address}`;
      const site = await startSite();
      const evil = await visit(site.origin);
      try {
        const unload = `${engine}/v2/repository/models/add_sub/unload`;
        await ask(evil, unload, asForm); // whatever the page gets to see of it: a site that was let in unloads by this
        same("the model after it", await ready(address, "add_sub"), 200);
        same("reading", await ask(evil, `${engine}/v2/models/add_sub`, {}), "TypeError: Failed to fetch");
      } finally {
        await evil.close();
        site.stop();
      }
    },
  ],
  [
    "nor does a page whose name was made to point here",
    async (page) => {
      const rebound = await visit(`http://${EVIL}:${await enginePort(page)}/v2`);
      try {
        same("reading", await ask(rebound, "/v2/models/add_sub", {}), 403);
        same("loading", await ask(rebound, "/v2/repository/models/add_sub/load", { method: "POST" }), 403);
      } finally {
        await rebound.close();
      }
    },
  ],
  [
    "a site that was let in does both",
    async (_, place) => {
      const site = await startSite();
      const server = await startServe(place, [`--http-allow-origin=${site.origin}`, "--load-model=add_sub"]);
      const friend = await visit(site.origin);
      try {
        const engine = `http://${server.address}/v2`;
        same("reading", await ask(friend, `${engine}/models/add_sub`, {}), 200);
        await ask(friend, `${engine}/repository/models/add_sub/unload`, asForm);
        same("the model after it", await ready(server.address, "add_sub"), 400);
        const json = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" };
        same("loading", await ask(friend, `${engine}/repository/models/add_sub/load`, json), 200);
        same("the model after that", await ready(server.address, "add_sub"), 200);
      } finally {
        await friend.close();
        await server.stop();
        site.stop();
      }
    },
  ],
  [
    "the page of the API reads and runs a model whose name a browser escapes",
    async (page, place) => {
      place.copy("add_sub", ODD);
      place.write(`${ODD}/config.pbtxt`, place.read(`${ODD}/config.pbtxt`).replace(/^name: .*$/m, ""));
      const server = await startServe(place, [`--load-model=${ODD}`]);
      const docs = await visit(`http://${server.address}/v2/docs`);
      try {
        same(
          "the answer",
          (await docs.evaluate(sent(ODD, "/infer"))).match(/OUTPUT\d/g)?.join(),
          "OUTPUT0,OUTPUT1",
        );
        const path = await docs.evaluate(overtaken(ODD));
        same("what is shown after a late document of the server", path.includes(`/v2/models/${ODD}`), true);
        await docs.evaluate(`setTimeout(() => document.querySelector("#source").click())`);
        const text = () => docs.evaluate("location.protocol === 'blob:' && document.body.textContent");
        const linked = JSON.parse(await page.until("the linked document", text));
        same("the linked document", linked.info.title, ODD);
      } finally {
        await docs.close();
        await server.stop();
      }
    },
  ],
];
