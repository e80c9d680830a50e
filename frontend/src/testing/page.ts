// What every test with a page needs: jsdom lays nothing out, so it has no observer of sizes, no fonts, and no
// questions about the screen. A part of the editor that crashes is a failure, not a line in the log.
import { afterEach, expect, vi } from "vitest";

class NoSizes implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

vi.stubGlobal("ResizeObserver", NoSizes);
Object.defineProperty(document, "fonts", {
  value: Object.assign(new EventTarget(), { ready: Promise.resolve() }),
});

vi.stubGlobal("matchMedia", () => {
  const nothing = () => {};
  return Object.assign(new EventTarget(), { matches: false, addListener: nothing, removeListener: nothing });
});

const crashes: unknown[] = [];
const log = console.error;
console.error = (...said: unknown[]) => {
  if (said.some((part) => String(part).includes("CodeMirror plugin crashed"))) crashes.push(said);
  log(...said);
};

afterEach(() => expect(crashes.splice(0)).toEqual([]));
