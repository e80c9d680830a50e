import { expect, it, vi } from "vitest";

it("lets charts be read under the C locale", async () => {
  Object.defineProperty(navigator, "language", { value: "C", configurable: true });
  window.matchMedia = vi.fn().mockReturnValue({ addEventListener: () => {}, removeEventListener: () => {} });
  await expect(import("./chart")).resolves.toBeDefined();
  expect(navigator.language).toBe("en-US");
});
