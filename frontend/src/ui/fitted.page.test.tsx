import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { MiddleTruncate } from "./MiddleTruncate";

test("many names are measured first and written afterwards, so that the page is laid out once", async () => {
  const order: string[] = [];
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(() => {
    order.push("read");
    return new DOMRect(0, 0, 50, 20);
  });
  const content = Object.getOwnPropertyDescriptor(Node.prototype, "textContent");
  const written = vi.spyOn(Node.prototype, "textContent", "set").mockImplementation(function (
    this: Node,
    text,
  ) {
    if (this instanceof HTMLElement && this.getAttribute("aria-hidden")) order.push("write");
    content?.set?.call(this, text);
  });

  const names = Array.from({ length: 20 }, (_, i) => `model_${i}`);
  const root = document.body.appendChild(document.createElement("div"));
  await act(async () =>
    createRoot(root).render(names.map((name) => <MiddleTruncate key={name} text={name} />)),
  );

  const first = order.indexOf("write");
  const [before, after] = [order.slice(0, first), order.slice(first)];
  expect(before.length).toBe(2 * names.length);
  expect(after.slice(0, names.length).every((step) => step === "write")).toBe(true);
  written.mockRestore();
  expect(root.textContent).toContain("model_19");
});
