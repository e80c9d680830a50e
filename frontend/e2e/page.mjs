// What a story does with a page, with either driver: find things as a person would (by role and
// name), wait until they are there, and use real mouse and keyboard.

const WAIT_MS = 30_000; // a machine that does other work too takes its time
const POLL_MS = 30;

// Runs inside the page. Finds the visible elements with a role and an accessible name, or by CSS.
const FINDER = `(query) => {
  const implied = { button: "button", a: "link", input: "textbox", textarea: "textbox", h1: "heading" };
  const roleOf = (e) => e.getAttribute("role") ?? implied[e.tagName.toLowerCase()] ?? "";
  const nameOf = (e) => {
    const by = e.getAttribute("aria-labelledby");
    const text = by ? by.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ") : null;
    return (e.getAttribute("aria-label") ?? text ?? e.textContent ?? e.getAttribute("title") ?? "").trim().replace(/\\s+/g, " ");
  };
  const shown = (e) => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0 && getComputedStyle(e).visibility !== "hidden"; };
  const root = query.within ? document.querySelector(query.within) : document;
  if (!root) return [];
  const pattern = query.name === undefined ? null : new RegExp(query.name);
  return [...root.querySelectorAll(query.css ?? "*")].filter((e) =>
    (!query.role || roleOf(e) === query.role) && (!pattern || pattern.test(nameOf(e))) && shown(e));
}`;

/** Thrown by a step that this kind of window cannot play. */
export class Skipped extends Error {}

export class Page {
  constructor(driver) {
    this.driver = driver;
  }

  /** Ends a step that this kind of window cannot play; it is told as skipped, and the story goes on. */
  skip(why) {
    throw new Skipped(why);
  }

  /** Waits until probe gives a truthy value; the last value or error is told when it never does. */
  async until(what, probe, limit = WAIT_MS) {
    const end = Date.now() + limit;
    let last;
    while (Date.now() < end) {
      try {
        last = await probe();
        if (last) return last;
      } catch (error) {
        last = error;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error(`waited ${limit} ms for ${what}; last seen: ${last}`);
  }

  /** The number that a part of the page tells, once it does. */
  async number(css, pattern) {
    return Number(
      await this.until(`${css} to tell ${pattern}`, async () => pattern.exec(await this.text(css))?.[1]),
    );
  }

  /** The box { x, y, width, height } of the first match of { role, name (regular expression), css, within }. */
  async box(query) {
    return this.driver.evaluate(`(() => {
      const found = (${FINDER})(${asked(query)})[0];
      if (!found) return null;
      found.scrollIntoView({ block: "nearest", inline: "nearest" });
      const r = found.getBoundingClientRect();
      return { x: r.x, y: r.y, width: r.width, height: r.height };
    })()`);
  }

  /** Nothing has moved the window as a whole: its top is at the top. */
  async stands() {
    await this.see({ css: "header" });
    const top = await this.driver.evaluate("document.querySelector('header').getBoundingClientRect().top");
    if (top !== 0) throw new Error(`the window's top bar is at ${top}, scrolled away`);
    const moved = await this.driver.evaluate(`[...document.querySelectorAll("[data-group]")].map((e) => {
      e.scrollTop = 9;
      const moved = e.scrollTop;
      e.scrollTop = 0;
      return moved;
    })`);
    if (moved.some((pixels) => pixels > 0))
      throw new Error(`panes can be scrolled by ${moved.join(", ")} pixels, although nobody sees it`);
  }

  async see(query, limit) {
    return this.until(`to see ${describe(query)}`, () => this.box(query), limit);
  }

  async gone(query, limit) {
    return this.until(`${describe(query)} to go`, async () => !(await this.box(query)), limit);
  }

  async click(query, limit) {
    await this.see(query, limit);
    await this.until(`${describe(query)} to take a click`, () => this.pointAt(query));
    await this.driver.down();
    await this.driver.up();
  }

  /** Moves the mouse to the first match once it rests, and reports whether a click reaches it then: something may have come over it. */
  async pointAt(query) {
    if (!(await this.takesClicks(query))) return false;
    const { x, y, width, height } = await this.settled(query);
    await this.driver.move(x + width / 2, y + height / 2);
    const box = await this.box(query);
    return box?.x === x && box.y === y && this.takesClicks(query);
  }

  /** Whether the first match can be used, and a click on its middle reaches it: a menu that just closes may still take all clicks. */
  async takesClicks(query) {
    return this.driver.evaluate(`(() => {
      const found = (${FINDER})(${asked(query)})[0];
      if (!found || found.matches(":disabled, [aria-disabled=true]")) return false;
      found.scrollIntoView({ block: "nearest", inline: "nearest" });
      const r = found.getBoundingClientRect();
      const hit = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
      return hit !== null && hit !== document.documentElement && hit !== document.body &&
        (found.contains(hit) || hit.contains(found));
    })()`);
  }

  /** Shows the page of an address fragment, as a link to it does. What is seen there may be seen on the page before it too. */
  async go(hash, seen, limit) {
    await this.driver.evaluate(`(() => {
      window.conchWent = location.hash === ${JSON.stringify(hash)};
      const listen = ({ newURL }) => {
        if (!newURL.endsWith(${JSON.stringify(hash)})) return;
        window.conchWent = true;
        removeEventListener("hashchange", listen);
      };
      addEventListener("hashchange", listen); // after the page, which then shows it
      location.hash = ${JSON.stringify(hash)};
    })()`);
    await this.until(`to be at ${hash}`, () => this.driver.evaluate("window.conchWent"));
    await this.see(seen, limit);
  }

  /** Waits until what is not to be there is not; what is found of it is told when it never goes. Parts of a page find their places by and by. */
  async without(what, find) {
    await this.until(`no ${what}`, async () => {
      const found = await find();
      if (found.length === 0) return true;
      throw new Error(found.join("\n     "));
    });
  }

  /** Waits until what the page has to draw now is drawn, and what it does in the frame after that is done. */
  async painted() {
    await this.driver.evaluate(`(() => {
      window.conchPainted = false;
      const done = () => setTimeout(() => { window.conchPainted = true; });
      // A page that is not in sight draws nothing.
      if (document.hidden) done();
      else requestAnimationFrame(() => requestAnimationFrame(done));
      return 1;
    })()`);
    await this.until("the page to draw", () => this.driver.evaluate("window.conchPainted"));
  }

  /** The box once it has stopped moving: a click in the middle of a motion would miss. */
  async settled(query) {
    return this.until(`${describe(query)} to rest`, async () => {
      const before = await this.box(query);
      await this.painted(); // in one frame nothing moves
      const now = await this.box(query);
      const rests = now && before && now.x === before.x && now.y === before.y;
      return rests ? now : null;
    });
  }

  async clickAt(x, y) {
    await this.driver.move(x, y);
    await this.driver.down();
    await this.driver.up();
  }

  /** Draws with the mouse through points given as shares of the element's box, one list for each stroke. */
  async draw(query, strokes) {
    await this.see(query);
    const box = await this.settled(query);
    const at = ([x, y]) => [Math.round(box.x + x * box.width), Math.round(box.y + y * box.height)];
    await this.driver.evaluate(
      "addEventListener('pointermove', (e) => { window.conchMouse = [e.clientX, e.clientY]; }, true); 1",
    );
    for (const stroke of strokes) {
      await this.moveSeen(at(stroke[0]));
      await this.driver.down();
      for (const [from, to] of pairs(stroke)) {
        for (let i = 1; i <= 6; i++) {
          await this.moveSeen(
            at([from[0] + ((to[0] - from[0]) * i) / 6, from[1] + ((to[1] - from[1]) * i) / 6]),
          );
        }
      }
      await this.driver.up();
    }
  }

  /** Moves the mouse and waits until the page saw it there: a busy page makes one motion of several. */
  async moveSeen([x, y]) {
    await this.driver.move(x, y);
    await this.until(`the mouse at ${x}, ${y}`, () =>
      this.driver.evaluate(`window.conchMouse?.[0] === ${x} && window.conchMouse[1] === ${y}`),
    );
  }

  text(css) {
    return this.driver.evaluate(`document.querySelector(${JSON.stringify(css)})?.innerText ?? ""`);
  }

  async reads(css, pattern, limit) {
    return this.until(
      `${css} to read ${pattern}`,
      async () => pattern.test(await this.text(css)),
      limit,
    ).catch(async (error) => {
      throw new Error(`${error.message}; it reads: ${JSON.stringify((await this.text(css)).slice(0, 400))}`);
    });
  }
}

/** The query as FINDER takes it. */
function asked(query) {
  const name = query.name instanceof RegExp ? query.name.source : query.name && `^${literally(query.name)}$`;
  return JSON.stringify({ ...query, name });
}

function pairs(list) {
  return list.slice(1).map((item, i) => [list[i], item]);
}

function literally(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function describe(query) {
  return JSON.stringify(query, (_, value) => (value instanceof RegExp ? String(value) : value));
}
