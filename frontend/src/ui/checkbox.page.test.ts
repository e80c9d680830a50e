import { expect, test } from "vitest";
import { wear } from "../testing/styles";

test("a checkbox has the colours of the theme, not those of the desktop", () => {
  wear("ui/base.css", {});
  const backgroundOf = (checked: boolean) => {
    const box = document.body.appendChild(document.createElement("input"));
    Object.assign(box, { type: "checkbox", checked });
    const { appearance, background } = getComputedStyle(box);
    expect(appearance).toBe("none");
    return background;
  };
  expect(backgroundOf(false)).toContain("var(--surface)");
  expect(backgroundOf(true)).toContain("var(--accent)");
});
