// Working in the editor as a hand does: put the cursor behind a word, select it, type over it.

/** The box of the first occurrence of a text in the editor's visible lines. */
async function textBox(page, text) {
  return page.driver.evaluate(`(() => {
    const wanted = ${JSON.stringify(text)};
    for (const line of document.querySelectorAll(".cm-content .cm-line")) {
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      const nodes = [];
      while (walker.nextNode()) {
        if (!walker.currentNode.parentElement.closest(".cm-conch-hint")) nodes.push(walker.currentNode);
      }
      const at = nodes.map((n) => n.data).join("").indexOf(wanted);
      if (at < 0) continue;
      const range = document.createRange();
      const place = (offset) => {
        for (const node of nodes) {
          if (offset <= node.length) return [node, offset];
          offset -= node.length;
        }
        return [nodes.at(-1), nodes.at(-1).length];
      };
      range.setStart(...place(at));
      range.setEnd(...place(at + wanted.length));
      const r = range.getBoundingClientRect();
      return { x: r.x, y: r.y, width: r.width, height: r.height };
    }
    return null;
  })()`);
}

/** Puts the cursor behind text, takes back as many characters as old has, and types the new ones. */
export async function retype(page, { text, old, typed }) {
  if (!text.endsWith(old)) throw new Error(`${text} does not end in ${old}`);
  await putCursorBehind(page, text);
  for (let i = 0; i < old.length; i++) await page.driver.press("Backspace");
  const kept = text.slice(0, text.length - old.length);
  await page.until(`${old} to be taken back`, async () => !kept || cursorBehind(page, kept));
  await page.driver.type(typed);
}

/**
 * A click soon after another at the same place is a double click and selects: where the cursor stands already
 * nothing is clicked, and elsewhere it is tried once more.
 */
async function putCursorBehind(page, text) {
  if (await cursorBehind(page, text)) return;
  const click = async (limit) => {
    const box = await page.until(`${text} in the editor`, () => textBox(page, text));
    await page.clickAt(box.x + box.width + 1, box.y + box.height / 2);
    await page.until(`the cursor behind ${text}`, () => cursorBehind(page, text), limit);
  };
  await click(1_500).catch(() => click());
}

/** Whether the editor has the focus and its cursor stands behind text: a key pressed before that is lost. */
function cursorBehind(page, text) {
  return page.driver.evaluate(`(() => {
    const { focusNode, focusOffset, isCollapsed } = getSelection();
    const line = isCollapsed && focusNode && (focusNode.closest ? focusNode : focusNode.parentElement).closest(".cm-line");
    if (!line || document.activeElement !== line.closest(".cm-content")) return false;
    const before = document.createRange();
    before.setStart(line, 0);
    before.setEnd(focusNode, focusOffset);
    return before.toString().endsWith(${JSON.stringify(text)});
  })()`);
}

/** The words that are underlined as errors. */
export function squiggles(page) {
  return page.driver.evaluate(
    `[...document.querySelectorAll(".cm-conch-error")].map((e) => e.textContent).join("")`,
  );
}

export async function squiggled(page, wanted) {
  await page.until(`a squiggle under ${wanted} alone`, async () => (await squiggles(page)) === wanted);
}

/** Types into the field that has the focus, over what is selected in it. One that has just come has the focus a little later. */
export async function typedOver(page, text) {
  await page.see({ css: "input:focus, textarea:focus" });
  await page.driver.type(text);
  await page.until(`${text} in the field`, () =>
    page.driver.evaluate(`document.activeElement.value === ${JSON.stringify(text)}`),
  );
}

/** Puts text in place of what is in a field. A busy window takes keys only when the field has the focus. */
export async function fillIn(page, css, text) {
  await page.click({ css });
  await page.until(`the focus in ${css}`, () =>
    page.driver.evaluate(`document.activeElement === document.querySelector(${JSON.stringify(css)})`),
  );
  await page.driver.press("Control+a");
  await typedOver(page, text);
}
