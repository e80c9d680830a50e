import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { useRevealed } from "./revealed";

function Part({ text }: { readonly text: string }) {
  const revealed = useRevealed<HTMLDivElement>();
  return <div ref={revealed}>{text}</div>;
}

test("what opens comes into sight once, and does not move when it changes", async () => {
  const shown: unknown[] = [];
  Element.prototype.scrollIntoView = function (this: Element, how) {
    shown.push([this.textContent, how]);
  };
  const root = createRoot(document.createElement("div"));
  await act(async () => root.render(<Part text="a" />));
  await act(async () => root.render(<Part text="b" />));
  expect(shown).toEqual([["a", { block: "nearest" }]]);
});
