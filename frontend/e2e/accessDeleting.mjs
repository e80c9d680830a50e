// The screens of what is deleted, and of a text that may be lost: how they are opened, and how they go away again.
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { at, config, dialog, escaped, menu, tabOf } from "./accessSteps.mjs";
import { command, LOADING_MS } from "./handsOnKeys.mjs";

export const deleting = [
  ["the question before a model is deleted", dialog((page) => command(page, "delete digits")), escaped],
  ["menu of a file", menu("More for labels.txt", at("#/models/digits/files", tabOf(/^Files/))), escaped],
  [
    "the question before a file is deleted",
    dialog(async (page) => {
      await page.click({ role: "button", name: "More for labels.txt" });
      await page.click({ role: "menuitem", name: /^Delete…/ });
      await page.see({ css: "[role=dialog] code" });
    }),
    escaped,
  ],
  [
    "what keeps a file from being deleted",
    dialog(async (page, place) => {
      chmodSync(join(place.repository, "digits/labels.txt"), 0o444);
      await page.click({ role: "button", name: "More for labels.txt" });
      await page.click({ role: "menuitem", name: /^Delete…/ });
      await page.see({ css: "[role=dialog] [role=alert]" });
    }),
    async (page, place) => {
      chmodSync(join(place.repository, "digits/labels.txt"), 0o644);
      await escaped(page);
    },
  ],
  [
    "the question before the only text of a file is closed",
    dialog(async (page, place) => {
      place.write("add_sub/notes.txt", "what its author wrote");
      await at("#/models/add_sub/files", tabOf(/^Files/))(page);
      await page.click({ role: "button", name: "More for notes.txt" }, LOADING_MS);
      await page.click({ role: "menuitem", name: "Edit" });
      await page.reads(".cm-content", /what its author wrote/);
      rmSync(join(place.repository, "add_sub/notes.txt"));
      await page.click({ role: "button", name: "Close notes.txt" }, LOADING_MS);
    }),
    async (page) => {
      await page.click({ role: "button", name: "Close and lose the text" });
      await page.gone({ role: "dialog" });
      await config(page);
    },
  ],
];
