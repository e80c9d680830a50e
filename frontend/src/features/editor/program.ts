import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Compartment, type Extension } from "@codemirror/state";
import { ViewPlugin } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const isProgram = (path: string): boolean => path.endsWith(".py");
export const isConfig = (path: string): boolean => path.endsWith(".pbtxt");

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: "var(--syn-field)" },
  { tag: [tags.bool, tags.null, tags.className, tags.self], color: "var(--syn-enum)" },
  { tag: tags.function(tags.definition(tags.variableName)), color: "var(--syn-enum)" },
  { tag: tags.meta, color: "var(--syn-enum)" },
  { tag: tags.string, color: "var(--syn-str)" },
  { tag: tags.number, color: "var(--syn-num)" },
  { tag: tags.comment, color: "var(--syn-com)" },
]);

const slot = new Compartment();
let loaded: Extension | undefined;
let loading: Promise<Extension> | undefined;

/** The grammar is large, so it is loaded with the first program that is opened. */
async function load(): Promise<Extension> {
  const { python } = await import("@codemirror/lang-python");
  loaded = [python().language, python().support];
  return loaded;
}

const whenLoaded = ViewPlugin.define((view) => {
  let gone = false;
  const show = (language: Extension) => {
    if (!gone) view.dispatch({ effects: slot.reconfigure(language) });
  };
  const missing = (slot.get(view.state) as readonly Extension[]).length === 0;
  if (missing) {
    loading ??= load();
    // A view is not changed while it is made.
    void loading.then(show, () => {
      loading = undefined; // the text stays without colours; the next program tries again
    });
  }
  return {
    destroy: () => {
      gone = true;
    },
  };
});

/** Colours and indentation of Python programs. */
export const python = (): Extension => [
  slot.of(loaded ?? []),
  syntaxHighlighting(colours),
  indentUnit.of("    "),
  whenLoaded,
];
