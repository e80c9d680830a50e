import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { Strings } from "./Strings";

test("a string that is read from the right stays for itself, and the text is the same", async () => {
  const box = document.body.appendChild(document.createElement("div"));
  const root = createRoot(box);
  const text = '["a \\" שלום", 1, "b", "عربي"]';
  await act(async () => root.render(<Strings text={text} />));
  expect(box.textContent).toBe(text);
  const alone = [...box.querySelectorAll("bdi")].map((part) => [part.dir, part.textContent]);
  expect(alone).toEqual([
    ["ltr", '"a \\" שלום"'],
    ["ltr", '"عربي"'],
  ]);
  await act(async () => root.unmount());
});
