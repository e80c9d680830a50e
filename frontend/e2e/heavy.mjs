// Large things that people drop and type: the page goes on drawing meanwhile.
const LOADING_MS = 30_000;
const MANY = 300;
const LONGEST_FRAME_MS = 150; // a screen redraws each 17 ms
const model = (name) => ({ css: `[data-model="${name}"]` });

/** Counts the time between frames until `longestFrame` is asked for. */
const WATCH_FRAMES = `(() => {
  let last = performance.now();
  window.conchLongest = 0;
  const look = () => {
    const now = performance.now();
    window.conchLongest = Math.max(window.conchLongest, now - last);
    last = now;
    window.conchWatching = requestAnimationFrame(look);
  };
  window.conchWatching = requestAnimationFrame(look);
})()`;

async function longestFrame(page) {
  return page.driver.evaluate("cancelAnimationFrame(window.conchWatching); window.conchLongest");
}

/**
 * Fails when the page stood still for longer than a person overlooks, and for half of the time until `seen` is: on a machine
 * that does other work too, each frame takes longer, and so does the whole.
 */
async function drawsUntil(page, begin, seen) {
  await page.driver.evaluate(WATCH_FRAMES);
  const began = performance.now();
  await page.driver.evaluate(begin);
  await seen();
  const took = performance.now() - began;
  const longest = await longestFrame(page);
  if (longest > Math.max(LONGEST_FRAME_MS, took / 2))
    throw new Error(`the page stood still for ${Math.round(longest)} of ${Math.round(took)} ms`);
}

/** A photo as cameras make them, 4000 × 3000, ready in the page before the time is taken. */
const MAKE_PHOTO = `(() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 4000, height: 3000 });
  const context = canvas.getContext("2d");
  for (let i = 0; i < 6000; i++) {
    context.fillStyle = "hsl(" + ((i * 37) % 360) + " 60% 50%)";
    context.fillRect((i * 769) % 4000, (i * 431) % 3000, 90, 70);
  }
  canvas.toBlob(async (blob) => {
    window.conchPhoto = new File([await blob.arrayBuffer()], "photo.jpg", { type: "image/jpeg" });
  }, "image/jpeg", 0.9);
})()`;

const DROP_PHOTO = `(() => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(window.conchPhoto);
  const input = document.querySelector("[aria-label='Input image']");
  input.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
})()`;

/** Values, ten to a line, in their field; the last one is none. The browser lays them out before the time is taken. */
const PUT_VALUES = `(() => {
  const field = document.querySelector("[aria-label='Values of INPUT0']");
  const line = "0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5";
  const text = "[" + Array(30000).fill(line).join(",\\n") + ", oops]";
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(field, text);
  field.scrollHeight;
})()`;

const TYPED = `document.querySelector("[aria-label='Values of INPUT0']").dispatchEvent(new Event("input", { bubbles: true }))`;

/** Remembers how many rows the table of models had at most, from now on. */
const WATCH_ROWS = `(() => {
  window.conchMostRows = 0;
  const look = () => {
    const rows = document.querySelectorAll("table[aria-label='Models'] tbody tr").length;
    window.conchMostRows = Math.max(window.conchMostRows, rows);
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
})()`;

export const heavy = [
  [
    "a photo of twelve million pixels does not hold up the page",
    async (page) => {
      await page.see(model("digits_prepare"), LOADING_MS);
      await page.click(model("digits_prepare"));
      await page.see({ css: "[aria-label='Input image']" });
      await page.driver.evaluate(MAKE_PHOTO);
      await page.until("the photo", () => page.driver.evaluate("window.conchPhoto !== undefined"));
      await drawsUntil(page, DROP_PHOTO, () => page.see({ role: "img", name: "What the model gets" }));
      await page.reads("[aria-label='Input image']", /photo\.jpg[\s\S]*4000 × 3000/);
    },
  ],
  [
    "the photo is sent as it is shown",
    async (page) => {
      await page.see({ css: `[data-model="digits_prepare"] [role=img][aria-label^="Ready"]` }, LOADING_MS);
      await page.click({ role: "button", name: /^Send/ });
      await page.see({ css: "section[aria-label='Response'] section[aria-label^='Output ']" });
    },
  ],
  [
    "300,000 typed values are judged before they are sent, and do not hold up the page",
    async (page) => {
      await page.click(model("add_sub"));
      await page.see({ css: "[aria-label='Values of INPUT0']" });
      const judged = () =>
        page.reads("[aria-label='Input INPUT0'] [role=alert]", /"oops\]?" is not a value.*\(line 30000\)/);
      await page.driver.evaluate(PUT_VALUES);
      await drawsUntil(page, TYPED, judged);
    },
  ],
  [
    "of hundreds of models the table draws those in sight, and never all of them",
    async (page, place) => {
      for (let i = 0; i < MANY; i++) place.write(`many_${i}/config.pbtxt`, 'backend: "dali"\n'); // nothing of it is loaded
      await page.reopen();
      await page.see(model("add_sub"), LOADING_MS);
      await page.click(model("add_sub"));
      await page.see({ css: "[aria-label='Values of INPUT0']" });
      await page.driver.evaluate(WATCH_ROWS);
      await page.driver.evaluate("location.hash = '#/overview'");
      await page.see({ css: "table[aria-label='Models'] tbody button" });
      const most = await page.driver.evaluate("window.conchMostRows");
      if (most > MANY / 2) throw new Error(`the table drew ${most} rows of ${MANY} models`);
    },
  ],
];
