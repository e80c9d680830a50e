// A server elsewhere: shown beside the open repository, lost, found again, and left.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { violations } from "./axe.mjs";
import { typedOver } from "./editing.mjs";
import { freePort } from "./tritonServer.mjs";
import { ROOT, startServe } from "./workplace.mjs";

const LOADING_MS = 30_000;
const PICTURES = join(ROOT, "build/cache/e2e/remote");
export const SWITCH = { css: "header button", name: /^Server: / };
export const AWAY = { css: "section[aria-label='The server does not answer']" };
export const item = (name) => ({ css: "[role^=menuitem]", name });
export const stateOf = (name, word) => ({ css: `[data-model="${name}"] [role=img][aria-label^="${word}"]` });

const serve = (place, port) => startServe(place, ["--load-model=add_sub"], { grpc: port });

export async function enter(page, label, text) {
  await page.until(`the field ${label}`, () =>
    page.driver.evaluate(`(() => {
      const label = [...document.querySelectorAll("[role=dialog] label")].find((one) => one.textContent === ${JSON.stringify(label)});
      const field = label && document.getElementById(label.htmlFor);
      if (!field) return false;
      field.focus();
      field.select();
      return document.activeElement === field;
    })()`),
  );
  await typedOver(page, text);
}

/** Adds a server in the window, up to its test. */
export async function addServer(page, { address, metrics = "none" }) {
  await page.click(SWITCH);
  await page.see({ role: "menu" });
  await accessible(page);
  await picture(page, "menu-before");
  await page.click(item(/Add a server/));
  await enter(page, "Name", "staging");
  await enter(page, "Address", address);
  await enter(page, "Metrics", metrics);
  await page.click({ role: "button", name: "Test" });
  await page.see({ css: "[role=dialog] p", name: /answers, with \d+ models/ }, LOADING_MS);
}

async function showDifferences(page) {
  await page.click(SWITCH);
  await page.click(item(/What a deployment would change/));
}

/** For a picture: a server with an older config of a model, and what a deployment would change on it. */
export async function watching(page, place) {
  const port = await freePort();
  place.peer = await startServe(place, ["--load-model=*"], { grpc: port });
  const config = "digits/config.pbtxt";
  place.write(config, place.read(config).replace(/max_batch_size: \d+/, "max_batch_size: 64"));
  await page.driver.press("Escape");
  await page.gone({ role: "dialog" });
  await addServer(page, { address: `grpc://127.0.0.1:${port}` });
  await page.click({ role: "button", name: "Save and show" });
  await page.see(stateOf("digits", "Ready"), LOADING_MS);
  await showDifferences(page);
  await page.reads("section[aria-label='Differences']", /digits[\s\S]*max_batch_size/);
}

/** What axe finds here in either theme is a failure. */
async function accessible(page) {
  const dark = (on) => page.driver.evaluate(`document.documentElement.classList.toggle("dark", ${on})`);
  const was = await page.driver.evaluate("document.documentElement.classList.contains('dark')");
  const found = [];
  for (const on of [true, false]) {
    await dark(on);
    found.push(...(await violations(page)));
  }
  await dark(was);
  if (found.length > 0) throw new Error(found.join("\n     "));
}

/** Pictures of what is shown, in both themes, where one asked for them. */
async function picture(page, name) {
  if (!process.env.CONCH_PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  const dark = (on) => page.driver.evaluate(`document.documentElement.classList.toggle("dark", ${on})`);
  for (const [theme, on] of [
    ["dark", true],
    ["light", false],
  ]) {
    await dark(on);
    await page.driver.screenshot(join(PICTURES, `${name}-${theme}.png`));
  }
}

export const remote = [
  [
    "a server is added in the window and shown beside the repository",
    async (page, place) => {
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      place.port = await freePort();
      place.peer = await serve(place, place.port);
      await addServer(page, { address: `grpc://127.0.0.1:${place.port}` });
      await accessible(page);
      await picture(page, "dialog");
      await page.click({ role: "button", name: "Save and show" });
      await page.see({ css: "header button", name: /staging/ });
      await page.see(stateOf("add_sub", "Ready"), LOADING_MS);
      await page.see(stateOf("digits", "Unloaded"), LOADING_MS);
      await picture(page, "overview");
    },
  ],
  [
    "a request goes to the server, and the views say what it does not tell",
    async (page) => {
      await page.click({ css: "[data-model='add_sub']" });
      await page.click({ role: "button", name: /^Send/ });
      await page.see({ css: "section, div", name: /OUTPUT0/ }, LOADING_MS);
      await page.see({ css: "[data-answer]" });
      await page.click({ role: "tab", name: "Log" });
      await page.see({ css: "h2", name: "A remote server does not tell its log" });
      await picture(page, "log");
      await page.click({ role: "tab", name: "Metrics" });
      await page.see({ css: "section[aria-label='What the figures are made from']" });
      await picture(page, "metrics");
    },
  ],
  [
    "the list of differences says what a deployment would change",
    async (page) => {
      await showDifferences(page);
      await page.reads("section[aria-label='Differences']", /digits[\s\S]*is not loaded there/);
      await accessible(page);
      await picture(page, "differences");
    },
  ],
  [
    "the server is lost and found again, and the switch leads back to this machine",
    async (page, place) => {
      await place.peer.stop();
      await page.see(AWAY, LOADING_MS);
      await page.reads(AWAY.css, /staging has not answered since/);
      await accessible(page);
      await picture(page, "away");
      place.peer = await serve(place, place.port);
      await page.click({ role: "button", name: "Try now" });
      await page.gone(AWAY, LOADING_MS);
      await page.click(SWITCH);
      await picture(page, "menu");
      await page.click(item("This machine"));
      await page.see({ css: "header button", name: /Server: This machine/ });
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      await page.click({ css: "[data-model='add_sub']" });
      await page.click({ role: "tab", name: "Config and try" });
      await page.see({ role: "button", name: /^Send/ });
      await page.gone({ css: "[data-answer]" }); // that was the server's
      await place.peer.stop();
    },
  ],
];
