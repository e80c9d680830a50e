import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { useShortcuts } from "./useShortcuts";

function Page() {
  useShortcuts();
  return null;
}

test("keys of the editor do nothing else where it does not have the focus, as a web view has other uses for them", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => root.render(<Page />));
  const isTaken = (key: string) => {
    const event = new KeyboardEvent("keydown", { key, ctrlKey: true, bubbles: true, cancelable: true });
    document.body.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(["s", "/", "c"].map(isTaken)).toEqual([true, true, false]);
  await act(async () => root.unmount());
});
