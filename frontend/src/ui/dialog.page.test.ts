import { expect, test } from "vitest";
import { wear } from "../testing/styles";

test("a dialog that ends with its body has round corners there too", () => {
  wear("ui/Dialog.module.css", { body: "the-body" });
  const dialog = document.body.appendChild(document.createElement("div"));
  dialog.innerHTML = "<div class='the-body'></div>";
  const corner = () =>
    getComputedStyle(dialog.firstElementChild as Element).getPropertyValue("border-radius");
  expect(corner()).toContain("var(--r-card)");
  dialog.append(document.createElement("footer"));
  expect(corner()).not.toContain("var(--r-card)");
});
