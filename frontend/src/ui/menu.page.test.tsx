import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { Menu, type MenuGroups } from "./Menu";

const label = { label: "Rename", onSelect: () => {} };

/** The parts before the labels of an open menu. */
async function before(groups: MenuGroups): Promise<number> {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () => root.render(<Menu trigger={<button type="button">Open</button>} groups={groups} />));
  const press = new KeyboardEvent("keydown", { key: "Enter", bubbles: true });
  await act(async () => page.querySelector("button")?.dispatchEvent(press));
  const items = [...document.querySelectorAll("[role^=menuitem]")];
  expect(items.map((item) => item.textContent)).toEqual(groups.flat().map((item) => item.label));
  const found = items.reduce((sum, item) => sum + item.children.length - 1, 0);
  await act(async () => root.unmount());
  return found;
}

test("only a menu with icons or checks keeps room for them", async () => {
  expect(await before([[label], [{ ...label, label: "Delete" }]])).toBe(0);
  expect(await before([[label], [{ ...label, label: "Delete", icon: <i /> }]])).toBe(2);
  expect(await before([[label, { ...label, label: "Wrap lines", checked: false }]])).toBe(2);
});
