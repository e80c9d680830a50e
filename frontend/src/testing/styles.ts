import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Puts a style sheet on the page, with the names that its classes have there; tests have none otherwise. */
export function wear(path: string, names: Readonly<Record<string, string>>): void {
  const style = document.head.appendChild(document.createElement("style"));
  const text = readFileSync(join(import.meta.dirname, "..", path), "utf8");
  style.textContent = text.replace(/\.([a-z]+)\b/gi, (whole, name) =>
    names[name] ? `.${names[name]}` : whole,
  );
}
