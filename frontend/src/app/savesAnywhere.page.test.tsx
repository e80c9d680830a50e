import { act, useState } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { usePaneKey } from "../features/editor/usePaneKey";
import { keys } from "../window/keys";
import { useShortcuts } from "./useShortcuts";

function Config({ save }: { readonly save: () => boolean }) {
  usePaneKey(keys.save, save);
  return <p>config</p>;
}

/** As in the program, the config is opened after the window. */
function Program({ save }: { readonly save: () => boolean }) {
  const [open, setOpen] = useState(false);
  useShortcuts();
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      {open && <Config save={save} />}
    </>
  );
}

test("Ctrl S saves the config that is shown wherever the focus is", async () => {
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  const save = vi.fn(() => true);
  await act(async () => root.render(<Program save={save} />));
  const button = place.querySelector("button");
  const press = (target: EventTarget) => {
    const event = new KeyboardEvent("keydown", { key: "s", ctrlKey: true, bubbles: true, cancelable: true });
    target.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(press(document.body)).toBe(true); // a browser does not offer to save the page
  expect(save).not.toHaveBeenCalled();
  await act(async () => button?.click());
  expect([press(document.body), press(button as HTMLElement)]).toEqual([true, true]);
  expect(save).toHaveBeenCalledTimes(2);
  await act(async () => root.unmount());
});
