// What notices offer, also when their time is over.

/** Undoes what was done last. The list of notices keeps the offer; the notice itself goes after ten seconds. */
export async function undo(page) {
  await page.click({ css: "header button[aria-label^='Notices']" });
  await page.click({ role: "button", name: "Undo", within: "[role=dialog][aria-label='Notices']" });
  await page.driver.press("Escape");
  await page.gone({ css: "[role=dialog][aria-label='Notices']" });
}
