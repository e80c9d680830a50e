import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { Dialog } from "./Dialog";

test("a dialog that no button of its own opened gives the focus back", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const show = (open: boolean) =>
    act(async () =>
      root.render(
        <>
          <button type="button">here</button>
          <Dialog title="Keys" open={open} onClose={() => undefined}>
            text
          </Dialog>
        </>,
      ),
    );
  await show(false);
  const here = document.querySelector("button");
  here?.focus();
  await show(true);
  expect(document.activeElement?.closest("[role=dialog]")).not.toBeNull();
  await show(false);
  await vi.waitFor(() => expect(document.activeElement).toBe(here));
  await act(async () => root.unmount());
});

test("so does one that is drawn open, with a field that takes the focus by itself, and goes away as a whole", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const show = (dialog: boolean) =>
    act(async () =>
      root.render(
        <>
          <button type="button">there</button>
          {dialog && (
            <Dialog title="Rename" open onClose={() => undefined}>
              <input autoFocus />
            </Dialog>
          )}
        </>,
      ),
    );
  await show(false);
  const there = [...document.querySelectorAll("button")].find((one) => one.textContent === "there");
  there?.focus();
  await show(true);
  expect(document.activeElement?.tagName).toBe("INPUT");
  await show(false);
  await vi.waitFor(() => expect(document.activeElement).toBe(there));
  await act(async () => root.unmount());
});
