// A request and its own answer: what is shown before is of the request before.

/** Of which request the answer is that the page shows, and whether none runs. */
const SHOWN = `(() => {
  const answer = document.querySelector("section[aria-label=Response]");
  return { of: answer?.querySelector("[data-answer]")?.dataset.answer ?? "", rests: answer?.ariaBusy !== "true" };
})()`;

/** Waits until no request runs: the keys that send do nothing meanwhile. */
export const idle = (page) =>
  page.until("no request to run", async () => (await page.driver.evaluate(SHOWN)).rests);

/** Sends a request as `send` does, and waits until it has its whole answer. */
export async function answered(page, send) {
  await idle(page);
  const before = await page.driver.evaluate(SHOWN);
  await send();
  await page.until("the answer of another request", async () => {
    const { of, rests } = await page.driver.evaluate(SHOWN);
    return rests && of !== "" && of !== before.of;
  });
}
