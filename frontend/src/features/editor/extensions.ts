import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, indentWithTab, redo, standardKeymap, undo } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
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
import { type Key, keys as keysOf, textKeys } from "../../window/keys";
import { binding } from "./binding";
import { selection } from "./caret";
import { leaving } from "./leaving";
import { pbtxt } from "./pbtxt";
import { searching } from "./search";
import { theme } from "./theme";

/** The parts of a key in one order, as the library does not always write them so. */
export const inOrder = (press = ""): string =>
  press
    .split(/-(?!$)/)
    .sort()
    .join("-");

/** The library's commands that the table of keys lists. The others are for languages with blocks and a syntax tree. */
const listed = new Set(
  Object.values(textKeys).flatMap(({ press, also = [] }: Key) => [press, ...also].map(inOrder)),
);
const commands = defaultKeymap.filter((one) => !standardKeymap.includes(one) && listed.has(inOrder(one.key)));

/** Most tooltips have room in it. */
const ROOM_PX = 240;

function spaceOf(view: EditorView) {
  const { top, bottom } = view.dom.getBoundingClientRect();
  const cursor = view.coordsAtPos(view.state.selection.main.head);
  const above = cursor !== null && cursor.bottom <= bottom && cursor.top - top >= ROOM_PX;
  return { top, left: 0, bottom: above ? bottom : window.innerHeight, right: window.innerWidth };
}

/** What every text of the window has: colours, line numbers, selection, search. */
export function viewing(language: Extension = pbtxt()): Extension {
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    selection,
    highlightActiveLine(),
    bracketMatching(),
    searching(),
    language,
    theme,
    // A text that is only read can be scrolled with the keys, too.
    EditorView.contentAttributes.of({ tabindex: "0" }),
    // Tooltips are not cut off at the pane's edge and never leave the window, but do not cover what is said above
    // the text: a banner has buttons. Nor do they cover the list of problems below it, where there is room over the cursor.
    tooltips({ parent: floating(), position: "fixed", tooltipSpace: spaceOf }),
  ];
}

/** What makes a text one that can be changed. The session's own keys come before the usual ones. */
export function editing(keys: readonly KeyBinding[]): Extension {
  return [
    history(),
    EditorState.allowMultipleSelections.of(true),
    rectangularSelection(),
    indentOnInput(),
    leaving(),
    indentUnit.of("  "),
    closeBrackets(),
    // A text with its own line separator is not split at others, so what is pasted brings the right ones.
    EditorView.clipboardInputFilter.of((text, state) => text.replace(/\r\n?|\n/g, state.lineBreak)),
    EditorView.contentAttributes.of({ spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
    keymap.of([
      ...keys,
      ...closeBracketsKeymap,
      ...completionKeymap,
      { ...binding(keysOf.undo), run: undo, preventDefault: true },
      { ...binding(keysOf.redo), run: redo, preventDefault: true },
      ...commands,
      ...standardKeymap,
      indentWithTab,
    ]),
  ];
}
