import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  type KeyBinding,
  keymap,
  lineNumbers,
  rectangularSelection,
  tooltips,
} from "@codemirror/view";
import { floating } from "../../ui/floating";
import { selection } from "./caret";
import { pbtxt } from "./pbtxt";
import { theme } from "./theme";

/** Ctrl Enter sends the request of the form beside the editor; it must not break the line as well. */
const defaults = defaultKeymap.filter((binding) => binding.key !== "Mod-Enter");

/** What every text of the window has: colours, line numbers, selection, search. */
export function viewing(): Extension {
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    selection,
    highlightActiveLine(),
    bracketMatching(),
    search({ top: true }),
    pbtxt(),
    theme,
    // A text that is only read can be scrolled with the keys, too.
    EditorView.contentAttributes.of({ tabindex: "0" }),
    // Tooltips are not cut off at the pane's edge and never leave the window, but do not cover what is said above
    // the text: a banner has buttons.
    tooltips({
      parent: floating(),
      position: "fixed",
      tooltipSpace: ({ dom }) => ({
        top: dom.getBoundingClientRect().top,
        left: 0,
        bottom: window.innerHeight,
        right: window.innerWidth,
      }),
    }),
  ];
}

/** What makes a text one that can be changed. The session's own keys come before the usual ones. */
export function editing(keys: readonly KeyBinding[]): Extension {
  return [
    history(),
    EditorState.allowMultipleSelections.of(true),
    rectangularSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    closeBrackets(),
    // A text with its own line separator is not split at others, so what is pasted brings the right ones.
    EditorView.clipboardInputFilter.of((text, state) => text.replace(/\r\n?|\n/g, state.lineBreak)),
    EditorView.contentAttributes.of({ spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
    keymap.of([
      ...keys,
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...defaults,
      indentWithTab,
    ]),
  ];
}
