import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { useDrawn } from "./drawn";

const seen: boolean[] = [];

function Page() {
  seen.push(useDrawn());
  return null;
}

async function open(): Promise<() => Promise<void>> {
  const root = createRoot(document.createElement("div"));
  await act(async () => root.render(<Page />));
  return () => act(async () => root.unmount());
}

test("only the first page of all is drawn in two frames, also when another is opened between them", async () => {
  vi.useFakeTimers();
  try {
    const leave = await open();
    await leave(); // before it was painted
    const again = await open();
    expect(seen).not.toContain(true);
    await act(async () => vi.runAllTimers());
    expect(seen.at(-1)).toBe(true);
    await again();
    seen.length = 0;
    await open();
    expect(seen).not.toContain(false);
  } finally {
    vi.useRealTimers();
  }
});
