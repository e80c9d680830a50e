// How long a person waits for the charts of a day that was measured every second.
import { execFileSync } from "node:child_process";
import { Page } from "./page.mjs";
import { ROOT, Workplace } from "./workplace.mjs";

const ROUNDS = 9;

/** Times of each round in milliseconds: from the click on a range to the frame in which all charts show it. */
export async function chartsOfADay(open) {
  const place = new Workplace().withoutPrograms();
  execFileSync("go", ["run", "./build/bench", "-fill-history", place.data, "-repository", place.repository], {
    cwd: ROOT,
  });
  const driver = await open(place);
  const page = new Page(driver);
  await page.see({ css: "[data-model='digits']" });
  await page.see({ css: "section[aria-label='Overview'] canvas" });
  const times = [];
  for (let i = 0; i < ROUNDS; i++) {
    times.push(await timed(page, "24 h"));
    await timed(page, "5 min");
  }
  await driver.close();
  place.remove();
  return times;
}

/** Clicks on a range inside the page, and waits until no card is busy and the next frame is painted. */
async function timed(page, label) {
  await page.driver.evaluate(`(() => {
    window.conchDrawn = undefined;
    const range = [...document.querySelectorAll("[role=radio]")].find((e) => e.textContent === ${JSON.stringify(label)});
    const begin = performance.now();
    range.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    const look = () => {
      const cards = [...document.querySelectorAll("section[aria-busy]")];
      const shown = range.dataset.state === "on" && cards.length > 0 && cards.every((e) => e.ariaBusy === "false");
      if (shown) requestAnimationFrame(() => { window.conchDrawn = performance.now() - begin; });
      else requestAnimationFrame(look);
    };
    look();
  })()`);
  return page.until(`the charts of ${label}`, () => page.driver.evaluate("window.conchDrawn"));
}
