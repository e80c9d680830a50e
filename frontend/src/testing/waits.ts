// What every test has: a wait that ends when what is asked for is there. On a machine that builds beside the tests, a
// part of the program that is loaded late alone can take longer than the second that Vitest waits by itself.
import { vi } from "vitest";

const WAITS_MS = 30_000;

const { waitFor } = vi;
vi.waitFor = (asked, options) =>
  waitFor(asked, { timeout: WAITS_MS, ...(typeof options === "number" ? { timeout: options } : options) });
