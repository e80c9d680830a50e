import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { firstDrawn } from "./drawn";

const seen: boolean[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  seen.length = 0;
});
afterEach(() => void vi.useRealTimers());

/** Pages that use the hook one after the other. */
function pages(useDrawn: (ready?: boolean) => boolean) {
  function Page({ ready }: { ready?: boolean }) {
    seen.push(useDrawn(ready));
    return null;
  }
  return async (ready?: boolean) => {
    const root = createRoot(document.createElement("div"));
    const show = (ready?: boolean) => act(async () => root.render(<Page ready={ready} />));
    await show(ready);
    return { show, leave: () => act(async () => root.unmount()) };
  };
}

test("only the first page of all is drawn in two frames, also when another is opened between them", async () => {
  const open = pages(firstDrawn());
  const first = await open();
  await first.leave(); // before it was painted
  const again = await open();
  expect(seen).not.toContain(true);
  await act(async () => vi.runAllTimers());
  expect(seen.at(-1)).toBe(true);
  await again.leave();
  seen.length = 0;
  await open();
  expect(seen).not.toContain(false);
});

test("the rest follows when what was asked for is there and painted", async () => {
  const page = await pages(firstDrawn())(false);
  await act(async () => vi.advanceTimersByTime(900));
  expect(seen).not.toContain(true);
  await page.show(true);
  expect(seen.at(-1)).toBe(false);
  await act(async () => vi.advanceTimersByTime(50)); // its frame
  expect(seen.at(-1)).toBe(true);
});

test("the rest does not wait for ever for what does not come", async () => {
  await pages(firstDrawn())(false);
  await act(async () => vi.advanceTimersByTime(1100));
  expect(seen.at(-1)).toBe(true);
});

test("who leaves in the time between is not followed", async () => {
  const open = pages(firstDrawn({ afterMs: 50 }));
  const page = await open();
  await act(async () => vi.advanceTimersByTime(40)); // the frame is painted
  await page.leave();
  await act(async () => vi.runAllTimers());
  await open();
  expect(seen).not.toContain(true);
});
