import { afterEach, expect, test, vi } from "vitest";
import { whileSeen } from "./pageWatch";

function see(hidden: boolean): void {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}

afterEach(() => see(false));

test("nothing is asked while the page is not seen", () => {
  const machine = { start: vi.fn(), stop: vi.fn() };
  const end = whileSeen(machine);
  expect(machine.start).toHaveBeenCalledTimes(1);
  see(true);
  expect(machine.stop).toHaveBeenCalledTimes(1);
  see(false);
  expect(machine.start).toHaveBeenCalledTimes(2);
  end();
  see(true);
  see(false);
  expect(machine.start).toHaveBeenCalledTimes(2);
});

test("what is mounted in a page that is not seen begins when the page is seen", () => {
  see(true);
  const machine = { start: vi.fn(), stop: vi.fn() };
  const end = whileSeen(machine);
  expect(machine.start).not.toHaveBeenCalled();
  see(false);
  expect(machine.start).toHaveBeenCalledTimes(1);
  end();
});
