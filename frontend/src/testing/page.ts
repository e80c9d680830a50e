// What every test with a page needs: jsdom lays nothing out, so it has no observer of sizes, no places of texts, no
// fonts, and no questions about the screen. A part of the editor that crashes, and a part that is
// drawn again when no test waits for it, are failures, no lines in the log.
import { afterEach, beforeEach, expect, vi } from "vitest";

class NoSizes implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

vi.stubGlobal("ResizeObserver", NoSizes);
Range.prototype.getClientRects = () => Object.assign([], { item: () => null });
Object.defineProperty(document, "fonts", {
  value: Object.assign(new EventTarget(), { ready: Promise.resolve() }),
});

vi.stubGlobal("matchMedia", () => {
  const nothing = () => {};
  return Object.assign(new EventTarget(), { matches: false, addListener: nothing, removeListener: nothing });
});

const letAct = (on: boolean) => Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: on });
beforeEach(() => void letAct(true));

// While a test waits, React draws when it wants to; else what is drawn has been drawn when act returns.
const { waitFor } = vi;
vi.waitFor = async (...how) => {
  const { IS_REACT_ACT_ENVIRONMENT: before } = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
  letAct(false);
  try {
    return await waitFor(...how);
  } finally {
    letAct(before ?? true);
  }
};

const wrong = /CodeMirror plugin crashed|not wrapped in act|not configured to support act/;
const found: unknown[] = [];
const log = console.error;
console.error = (...said: unknown[]) => {
  if (said.some((part) => wrong.test(String(part)))) found.push(said);
  log(...said);
};

afterEach(() => expect(found.splice(0)).toEqual([]));
