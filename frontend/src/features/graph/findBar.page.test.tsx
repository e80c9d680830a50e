import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { enter } from "../../testing/typing";
import { FindBar } from "./FindBar";
import { chainOf } from "./sample";
import { useSelection } from "./selection";

const graph = chainOf(12);
const [onFound, onReveal, onClose] = [vi.fn(), vi.fn(), vi.fn()];
let page: HTMLElement;
let root: Root;

const Chosen = () => <output>{useSelection("found").id}</output>;

beforeEach(async () => {
  vi.clearAllMocks();
  page = document.body.appendChild(document.createElement("div"));
  root = createRoot(page);
  await act(async () =>
    root.render(
      <>
        <FindBar model="found" graph={graph} onFound={onFound} onReveal={onReveal} onClose={onClose} />
        <Chosen />
      </>,
    ),
  );
});

afterEach(async () => {
  await act(async () => root.unmount());
  page.remove();
});

const field = () => page.querySelector("input") as HTMLInputElement;
const count = () => page.querySelector("[role=status]")?.textContent;
const chosen = () => page.querySelector("output")?.textContent;

const type = (text: string) => act(async () => enter(field(), text));

const press = (key: string, shiftKey = false) =>
  act(async () => {
    field().dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));
  });

test("what is typed is looked for at once; Enter and Shift Enter go round through what was found", async () => {
  expect([document.activeElement, count()]).toEqual([field(), ""]);
  await type("stage_1");
  expect([count(), chosen()]).toEqual(["1 of 4", "step:0"]); // and stage_10, 11, 12
  expect(onFound).toHaveBeenLastCalledWith(new Set(["step:0", "step:9", "step:10", "step:11"]));
  await press("Enter");
  expect([count(), chosen(), onReveal.mock.lastCall]).toEqual(["2 of 4", "step:9", ["step:9"]]);
  await press("Enter", true);
  await press("Enter", true);
  expect([count(), chosen()]).toEqual(["4 of 4", "step:11"]);
  await press("Enter");
  expect([count(), chosen()]).toEqual(["1 of 4", "step:0"]);
});

test("a number finds a step, a tensor its edge; what is not there says so and leaves what is chosen", async () => {
  await type("step 12");
  expect([count(), chosen()]).toEqual(["1 of 1", "step:11"]);
  await type("t7");
  expect([count(), chosen()]).toEqual(["1 of 1", "e7"]);
  await type("nothing of it");
  expect([count(), chosen()]).toEqual(["Not found", "e7"]);
  await press("Enter");
  expect(chosen()).toBe("e7");
});

test("Escape and the cross close the search, and the marks go with it", async () => {
  await type("stage_2");
  await press("Escape");
  await act(async () => page.querySelector<HTMLButtonElement>("[aria-label='Close the search']")?.click());
  expect(onClose).toHaveBeenCalledTimes(2);
  await act(async () => root.render(null));
  expect(onFound).toHaveBeenLastCalledWith(new Set());
});
