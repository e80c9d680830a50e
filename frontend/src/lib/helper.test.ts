import { afterEach, expect, it, vi } from "vitest";
import { Helper } from "./helper";

/** A worker that answers what a test tells it to. */
class FakeWorker {
  onmessage: ((event: { data: unknown }) => void) | undefined;
  onerror: (() => void) | undefined;
  readonly asked: { id: number; question: number }[] = [];
  postMessage(message: { id: number; question: number }) {
    this.asked.push(message);
  }
}

afterEach(() => vi.unstubAllGlobals());

function started() {
  vi.stubGlobal("Worker", FakeWorker);
  const worker = new FakeWorker();
  const here = vi.fn(async (question: number) => question * 2);
  return { worker, here, helper: new Helper(() => worker as unknown as Worker, here) };
}

it("gives each question its answer, or the reason why there is none", async () => {
  const { worker, here, helper } = started();
  const [one, two] = [helper.ask(1), helper.ask(2)];
  expect(worker.asked.map(({ question }) => question)).toEqual([1, 2]);
  worker.onmessage?.({ data: { id: 2, why: "too large" } });
  worker.onmessage?.({ data: { id: 1, answer: 10 } });
  expect(await one).toBe(10);
  await expect(two).rejects.toThrow("too large");
  expect(here).not.toHaveBeenCalled();
});

it("does the work in the page when the worker does not start", async () => {
  const { worker, helper } = started();
  const one = helper.ask(1);
  worker.onerror?.();
  expect(await one).toBe(2);
  expect(await helper.ask(3)).toBe(6);
  expect(worker.asked).toHaveLength(1);
});

it("does the work in the page where there are no workers", async () => {
  vi.stubGlobal("Worker", undefined);
  const helper = new Helper(
    () => {
      throw new Error("no worker");
    },
    (question: number) => question + 1,
  );
  expect(await helper.ask(1)).toBe(2);
});

it("does the work in the page where a worker is refused at its start", async () => {
  vi.stubGlobal("Worker", FakeWorker);
  const make = vi.fn(() => {
    throw new DOMException("blocked by the content security policy", "SecurityError");
  });
  const helper = new Helper(make, (question: number) => question + 1);
  expect(await helper.ask(1)).toBe(2);
  expect(await helper.ask(2)).toBe(3);
  expect(make).toHaveBeenCalledTimes(1);
});
