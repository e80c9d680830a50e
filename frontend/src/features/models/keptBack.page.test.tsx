import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import type { DroppedFile } from "../../window/native";
import { useToasts } from "../../window/toasts";
import { useModelDrop } from "./useModelDrop";

const root = createRoot(document.body.appendChild(document.createElement("div")));

function Window() {
  useModelDrop(true);
  return null;
}

afterEach(async () => {
  await act(async () => root.render(null));
  useToasts.setState({ toasts: [], past: [] });
  vi.unstubAllGlobals();
});

/** What the web view tells of a file of another program: an address, and no file. */
function tell(type: string): Event {
  const event = new Event(type, { bubbles: true, cancelable: true });
  const dataTransfer = { types: ["text/uri-list", "text/html"], files: [], items: [] };
  act(() => void document.body.dispatchEvent(Object.assign(event, { dataTransfer })));
  return event;
}

const told = () => useToasts.getState().toasts.map(({ text }) => text);

/** The program, with what was dropped last. */
const drops = (...dropped: DroppedFile[]) =>
  vi.stubGlobal("go", { desktop: { Native: { Dropped: async () => dropped } } });

test("a dropped file that the desktop's web view keeps back comes from the program, to where it was dropped", async () => {
  drops({ path: "cat.png", address: "/dropped/1/0" });
  vi.stubGlobal("fetch", async (address: string) => ({
    ok: true,
    blob: async () => new Blob([`the bytes at ${address}`]),
  }));
  await act(async () => root.render(<Window />));
  const arrived = new Promise<File>((resolve) => {
    const take = (event: DragEvent) => {
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      document.body.removeEventListener("drop", take);
      event.preventDefault(); // no model is made of it
      resolve(file);
    };
    document.body.addEventListener("drop", take);
  });
  expect(tell("dragover").defaultPrevented).toBe(true);
  expect(tell("drop").defaultPrevented).toBe(true);
  const file = await act(() => arrived);
  expect([file.name, file.type, await file.text()]).toEqual([
    "cat.png",
    "image/png",
    "the bytes at /dropped/1/0",
  ]);
  expect(told()).toEqual([]);
});

test("what does not come this way is told, with the way that works", async () => {
  await act(async () => root.render(<Window />));
  for (const dropped of [[], [{ path: "models", address: "" }]]) {
    drops(...dropped);
    tell("drop");
    await vi.waitFor(() =>
      expect(useToasts.getState().toasts[0]?.action?.label).toBe("New model from a file"),
    );
    useToasts.setState({ toasts: [] });
  }
  expect(useToasts.getState().past.map(({ text }) => text)).toEqual([
    "models cannot be dropped here",
    "The dropped file did not arrive",
  ]);
});

test("a link that is dragged within the page, or in a browser, is no such file", async () => {
  await act(async () => root.render(<Window />));
  expect(tell("drop").defaultPrevented).toBe(false);
  vi.stubGlobal("go", { desktop: { Native: {} } });
  tell("dragstart");
  expect(tell("drop").defaultPrevented).toBe(false);
  tell("dragend");
  expect(told()).toEqual([]);
});
