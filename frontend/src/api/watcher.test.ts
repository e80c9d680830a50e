import { create } from "@bufbuild/protobuf";
import { expect, test, vi } from "vitest";
import { type WorkspaceUpdate, WorkspaceUpdateSchema } from "./conch_pb";
import { createWatcher } from "./watcher";

const item = (seq: bigint) => create(WorkspaceUpdateSchema, { seq });

/** Waits until the stream is given up, as a silent connection does. */
const silence = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));

function start(streams: ((signal: AbortSignal) => AsyncGenerator<WorkspaceUpdate>)[]) {
  const seen: bigint[] = [];
  const lost = vi.fn();
  let opened = 0;
  const watcher = createWatcher({
    watch: (signal) => {
      const stream = streams[Math.min(opened, streams.length - 1)];
      opened++;
      if (!stream) throw new Error("no stream");
      return stream(signal);
    },
    onUpdate: ({ seq }) => seen.push(seq),
    onLost: lost,
    silenceMs: 40,
    firstWaitMs: 1,
  });
  return { watcher, seen, lost, opened: () => opened };
}

test("asks again when the stream ends, fails or goes silent", async () => {
  const { watcher, seen, lost } = start([
    async function* () {
      yield item(1n);
    },
    // biome-ignore lint/correctness/useYield: it fails before its first item
    async function* () {
      throw new Error("refused");
    },
    async function* (signal) {
      yield item(2n);
      await silence(signal);
    },
    async function* (signal) {
      yield item(3n);
      await silence(signal);
    },
  ]);
  await vi.waitFor(() => expect(seen).toContain(3n));
  expect(seen.slice(0, 3)).toEqual([1n, 2n, 3n]);
  expect(lost.mock.calls.length).toBeGreaterThanOrEqual(3);
  watcher.destroy();
});

test("stops for good when it is ended", async () => {
  const { watcher, opened, lost } = start([
    async function* (signal) {
      yield item(1n);
      await silence(signal);
    },
  ]);
  await vi.waitFor(() => expect(opened()).toBe(1));
  watcher.destroy();
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(opened()).toBe(1);
  expect(lost).not.toHaveBeenCalled();
});

test("asks at once when told to hurry, however long it waits", async () => {
  const watch = vi.fn(() => {
    throw new Error("refused");
  });
  const watcher = createWatcher({ watch, onUpdate: vi.fn(), onLost: vi.fn(), firstWaitMs: 60_000 });
  await vi.waitFor(() => expect(watch).toHaveBeenCalledTimes(1));
  await new Promise((resolve) => setTimeout(resolve)); // it is waiting now
  watcher.hurry();
  await vi.waitFor(() => expect(watch).toHaveBeenCalledTimes(2));
  watcher.destroy();
});

test("what comes together is given together, the first at once, and the last before the end is told", async () => {
  const seen: string[] = [];
  const watcher = createWatcher<string>({
    watch: async function* () {
      if (seen.length > 0) await new Promise(() => undefined);
      for (const letter of ["a", "b", "c", "|", "d"]) yield letter;
    },
    merge: (first, next) => (next === "|" ? undefined : first + next), // nothing is put before a bar
    onUpdate: (text) => seen.push(text),
    onLost: () => seen.push("lost"),
    firstWaitMs: 1,
  });
  await vi.waitFor(() => expect(seen).toContain("lost"));
  expect(seen).toEqual(["a", "bc", "|d", "lost"]);
  watcher.destroy();
});

test("what waits to be given comes without anything after it", async () => {
  const seen: string[] = [];
  const watcher = createWatcher<string>({
    watch: async function* (signal) {
      yield "a";
      yield "b";
      yield "c";
      await silence(signal);
    },
    merge: (first, next) => first + next,
    onUpdate: (text) => seen.push(text),
    onLost: vi.fn(),
  });
  await vi.waitFor(() => expect(seen).toEqual(["a", "bc"]));
  watcher.destroy();
});
