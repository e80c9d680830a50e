import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { toast, useToasts } from "../window/toasts";
import { NoticesMenu } from "./NoticesMenu";
import { Toasts } from "./Toasts";

let root: Root;
const messages = () => document.querySelector("[aria-label='Messages']") as HTMLElement;
const bell = () => document.querySelector("button[aria-label^='Notices']") as HTMLButtonElement;
/** React hears of a pointer that enters by one that comes from elsewhere. */
const pointer = (type: "pointerover" | "pointerout") =>
  act(async () => messages().dispatchEvent(new MouseEvent(type, { bubbles: true })));

beforeEach(async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  useToasts.setState({ toasts: [], past: [], seen: 0 });
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <>
        <NoticesMenu />
        <Toasts />
      </>,
    ),
  );
});

afterEach(async () => {
  await act(async () => root.unmount());
  vi.useRealTimers();
});

test("a notice says how often, and waits under the pointer", async () => {
  await act(async () => {
    toast({ level: "error", text: "That was not done" });
    toast({ level: "error", text: "That was not done" });
  });
  expect(messages().textContent).toContain("That was not done (2 times)");
  await pointer("pointerover");
  await act(async () => vi.advanceTimersByTime(60_000));
  expect(messages().textContent).toContain("That was not done");
  await pointer("pointerout");
  await act(async () => vi.advanceTimersByTime(10_000));
  expect(messages().textContent).toBe("");
});

test("notices go on going after one that had the focus was dismissed", async () => {
  await act(async () => {
    toast({ level: "error", text: "First" });
    toast({ level: "error", text: "Second" });
  });
  const dismiss = messages().querySelector<HTMLButtonElement>("[aria-label=Dismiss]");
  await act(async () => dismiss?.focus());
  await act(async () => dismiss?.click());
  expect(messages().textContent).toBe("Second");
  await act(async () => vi.advanceTimersByTime(10_000));
  expect(messages().textContent).toBe("");
});

test.each([
  [true, ["Second", "First"]],
  [false, ["First", "Second"]],
])("a notice that comes moves none that is there (under the list: %s)", async (underList, order) => {
  await act(async () => root.render(<Toasts underList={underList} />));
  await act(async () => {
    toast({ level: "info", text: "First", action: { label: "Undo", run: () => {} } });
    toast({ level: "warning", text: "Second" });
  });
  const words = [...messages().querySelectorAll("[class*=whole]")].map((card) => card.textContent);
  expect(words).toEqual(order);
});

test("a long notice is shortened, and whole when that is asked for", async () => {
  const height = (name: "scrollHeight" | "clientHeight", value: number) =>
    vi.spyOn(Element.prototype, name, "get").mockReturnValue(value);
  const spies = [height("scrollHeight", 60), height("clientHeight", 60)];
  await act(async () => toast({ level: "error", text: "That was not done", detail: "For a reason." }));
  const more = () =>
    [...messages().querySelectorAll("button")].find((b) => /^(More|Less)$/.test(b.textContent));
  expect(more()).toBeUndefined();
  spies.push(height("scrollHeight", 200));
  await act(async () =>
    toast({ level: "error", text: "Another thing was not done", detail: "x ".repeat(400) }),
  );
  expect(more()?.textContent).toBe("More");
  expect(messages().querySelector("[class*=short]")?.textContent).toContain("Another thing");
  await act(async () => more()?.click());
  expect(more()?.textContent).toBe("Less");
  expect(messages().querySelector("[class*=short]")).toBeNull();
  for (const spy of spies) spy.mockRestore();
});

test("a name in a notice is not broken in two, and is in its text once", async () => {
  await act(async () => toast({ level: "info", text: "customer_segmentation_pipeline was added" }));
  const word = messages().querySelector<HTMLElement>("[data-shown]");
  expect(word?.dataset.shown).toBe("customer_segmentation_pipeline");
  expect(messages().textContent).toBe("customer_segmentation_pipeline was added");
});

test("a notice waits while the focus is in it", async () => {
  await act(async () => toast({ level: "info", text: "loaded" }));
  const close = messages().querySelector("button[aria-label='Dismiss']") as HTMLButtonElement;
  await act(async () => close.focus());
  await act(async () => vi.advanceTimersByTime(60_000));
  expect(messages().textContent).toContain("loaded");
  await act(async () => close.click());
  await act(async () => toast({ level: "info", text: "again" }));
  await act(async () => vi.advanceTimersByTime(4_000));
  expect(messages().textContent).toBe("");
});

test("the list in the top bar has what has gone, and tells of new errors until it is opened", async () => {
  await act(async () => toast({ level: "error", text: "digits failed", detail: "no file" }));
  await act(async () => vi.advanceTimersByTime(10_000));
  expect(bell().getAttribute("aria-label")).toBe("Notices, 1 new error");
  await act(async () => bell().click());
  const list = document.querySelector("[role='dialog']") as HTMLElement;
  expect(list.textContent).toContain("digits failed");
  expect(list.textContent).toContain("no file");
  expect(list.querySelector("time")?.textContent).toMatch(/^\d\d:\d\d:\d\d$/);
  expect(bell().getAttribute("aria-label")).toBe("Notices");
});
