// axe-core in the page: what keeps people with a screen reader, with weak eyes or without a mouse from a screen.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

// The window's driver does not wait for a promise, so the page keeps what it found.
const CHECK = `(() => {
  window.conchFound = null;
  window.axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => {
    window.conchFound = violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) =>
        id + ": " + help + "\\n       " + target.join(" ") + "\\n       " +
        failureSummary.split("\\n").slice(1).join(" ").trim()));
  }, (error) => { window.conchFound = ["axe failed: " + error]; });
})()`;
const CHECK_MS = 60_000;

// A colour in the middle of a change is none of the screen's colours. What turns for ever is not waited for.
const AT_REST = `document.getAnimations().every((motion) =>
  motion.playState !== "running" || motion.effect.getComputedTiming().iterations === Infinity)`;

let source;

/** What axe finds on the screen, one text for each element. */
export async function violations(page) {
  source ??= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  await page.painted(); // a change of this moment begins in the next frame
  await page.until("the page at rest", () => page.driver.evaluate(AT_REST));
  if (!(await page.driver.evaluate("window.axe !== undefined"))) await page.driver.evaluate(`${source}; 1`);
  await page.driver.evaluate(CHECK);
  return page.until("axe to end", () => page.driver.evaluate("window.conchFound"), CHECK_MS);
}
