import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test, vi } from "vitest";
import { useSettings } from "../window/settings";
import { followTheme } from "./theme";

const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");
const root = document.documentElement;

/** What the page's head runs before anything is painted. */
function firstPaint(dark: boolean): void {
  root.className = "";
  vi.stubGlobal("matchMedia", () => Object.assign(new EventTarget(), { matches: dark }));
  new Function(read("../../public/theme.js"))();
}

beforeEach(() => localStorage.clear());

test("a dark desktop, or a dark theme, is dark before the program runs", () => {
  firstPaint(true);
  expect(root.classList.contains("dark")).toBe(true);
  firstPaint(false);
  expect(root.classList.contains("dark")).toBe(false);

  followTheme();
  useSettings.setState({ theme: "dark" });
  expect(root.classList.contains("dark")).toBe(true);
  firstPaint(false);
  expect(root.classList.contains("dark")).toBe(true);

  useSettings.setState({ theme: "light" });
  firstPaint(true);
  expect(root.classList.contains("dark")).toBe(false);
});

test("the first background is the page's own, and its script comes first", () => {
  const page = read("../../index.html");
  const grounds = [...read("../ui/tokens.css").matchAll(/--bg: (#\w+);/g)].map(([, colour]) => colour);
  expect([...page.matchAll(/background: (#\w+);/g)].map(([, colour]) => colour)).toEqual(grounds);
  expect(page.indexOf("theme.js")).toBeLessThan(page.indexOf("main.tsx"));
});
