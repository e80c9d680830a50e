import { expect, test, vi } from "vitest";

test("what comes late in a page on a busy machine is waited for", async () => {
  const from = performance.now();
  await vi.waitFor(() => expect(performance.now() - from).toBeGreaterThan(1_200));
});
