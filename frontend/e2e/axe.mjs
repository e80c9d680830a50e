// axe-core in the page: what keeps people with a screen reader, with weak eyes or without a mouse from a screen.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const CHECK = `(async () => {
  const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) =>
      id + ": " + help + "\\n       " + target.join(" ") + "\\n       " +
      failureSummary.split("\\n").slice(1).join(" ").trim()));
})()`;

// A colour in the middle of a change is none of the screen's colours. What turns for ever is not waited for.
const AT_REST = `document.getAnimations().every((motion) =>
  motion.playState !== "running" || motion.effect.getComputedTiming().iterations === Infinity)`;

let source;

/** What axe finds on the screen, one text for each element. */
export async function violations(page) {
  source ??= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  await page.until("the page at rest", () => page.driver.evaluate(AT_REST));
  if (!(await page.driver.evaluate("window.axe !== undefined"))) await page.driver.evaluate(`${source}; 1`);
  return page.driver.evaluate(CHECK);
}
