import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { encode } from "../../lib/tensor";
import { enter } from "../../testing/typing";
import { TensorView } from "./TensorView";

test("a slice that is written already is shown from its beginning when Enter is pressed again", async () => {
  const scrolled: number[][] = [];
  Element.prototype.scrollTo = ((x: number, y: number) => void scrolled.push([x, y])) as Element["scrollTo"];
  Element.prototype.scrollIntoView = () => {};
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const values = Array.from({ length: 40_000 }, (_, i) => i);
  const tensor = {
    name: "x",
    datatype: "INT32",
    shape: [40n, 1000n],
    raw: encode("INT32", values),
    labels: [],
  };
  await act(async () => root.render(<TensorView tensor={tensor} />));
  const field = () => page.querySelector<HTMLInputElement>("input[aria-label='Slice or index']");
  const goTo = async (text: string) => {
    await act(async () => enter(field(), text));
    await act(async () => field()?.form?.requestSubmit());
  };
  await goTo("[30, 900]");
  expect(page.querySelector("[data-found=true]")).not.toBeNull();
  scrolled.length = 0;
  await goTo("[:, :]"); // what the field says already
  expect(page.querySelector("[data-found=true]")).toBeNull();
  expect(page.querySelector("tbody th")?.textContent).toBe("[0]");
  expect(scrolled).toContainEqual([0, 0]);
  await goTo("[3, 5:9]"); // the few elements of a small slice, and the way back
  expect(page.querySelectorAll("tbody td")).toHaveLength(4);
  expect(field()?.value).toBe("[3, 5:9]");
  await act(async () => root.unmount());
});
