// What a person without a mouse does: goes from one thing to the next with Tab, always seeing where the focus is.

export const LOADING_MS = 30_000;
const MOST_TABS = 120;

export const stateOf = (name, word) => ({ css: `[data-model="${name}"] [role=img][aria-label^="${word}"]` });

// What has the focus: its name, and whether that is seen. The cursor of a text shows it, and so does the row of a list.
const FOCUSED = `(() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const style = getComputedStyle(e);
  const writes = e.matches("input, textarea, [contenteditable=true]");
  const seen = style.outlineStyle !== "none" || style.boxShadow !== "none" || writes;
  const name = e.getAttribute("aria-label") || e.textContent.trim() || e.title || e.placeholder || e.tagName;
  return { name: name.replace(/\\s+/g, " ").slice(0, 60), seen };
})()`;

export const focused = (page) => page.driver.evaluate(FOCUSED);
export const nameInFocus = async (page) => (await focused(page))?.name ?? "nothing";

/** Presses a key until what has the focus is named so. Arrows move it a little after the key. */
export async function goTo(page, pattern, key = "Tab") {
  const passed = [];
  for (let i = 0; i < MOST_TABS; i++) {
    // In a config Tab indents; Escape and then Tab leave it.
    if (/Tab$/.test(key) && (await nameInFocus(page)) === "config.pbtxt") await page.driver.press("Escape");
    await page.driver.press(key);
    if (!/Tab$/.test(key)) await page.painted();
    const at = await focused(page);
    if (at && !at.seen) throw new Error(`the focus on "${at.name}" is not seen`);
    if (at && pattern.test(at.name)) return;
    passed.push(at?.name ?? "nothing");
  }
  throw new Error(`${key} does not reach ${pattern}; it passes ${passed.join(" | ")}`);
}

/** Whether the palette has taken all of a text, and has chosen an entry with each word of it. */
const chosen = (text) => `(() => {
  const one = document.querySelector("[cmdk-item][aria-selected=true]");
  const said = (one?.dataset.value + " " + one?.textContent).toLowerCase();
  return document.querySelector("[cmdk-input]")?.value === ${JSON.stringify(text)} &&
    ${JSON.stringify(text.toLowerCase().split(" "))}.every((word) => said.includes(word));
})()`;

/**
 * Runs a command of the palette. Some entries come from the app, after what is typed; and what was chosen runs in the
 * frames after the palette is gone.
 */
export async function command(page, text) {
  await page.driver.press("Control+k");
  await page.see({ css: "[cmdk-input]:focus" });
  await page.driver.type(text);
  await page.until(`the command "${text}"`, () => page.driver.evaluate(chosen(text)));
  await page.driver.press("Enter");
  await page.gone({ css: "[cmdk-input]" });
  await page.painted();
}
