import {
  codeFolding,
  foldCode,
  foldGutter,
  foldService,
  matchBrackets,
  unfoldCode,
} from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { keys } from "../../window/keys";
import { binding } from "./binding";

/** A bracket that is closed further away than this is not looked for. */
const FARTHEST = 100_000;

/** What can be folded at a line: from its last bracket that stays open to the one that closes it, lines below. */
export function foldOf(state: EditorState, from: number, to: number): { from: number; to: number } | null {
  const line = state.sliceDoc(from, to);
  for (let at = line.length - 1; at >= 0; at--) {
    if (!"{[<".includes(line[at] ?? "")) continue;
    const match = matchBrackets(state, from + at, 1, { brackets: "{}[]<>", maxScanDistance: FARTHEST });
    if (!match?.matched || !match.end || match.end.from <= to) continue;
    return { from: from + at + 1, to: match.end.from };
  }
  return null;
}

function marker(open: boolean): HTMLElement {
  const made = document.createElement("span");
  made.className = "cm-conch-fold";
  made.textContent = open ? "⌄" : "›";
  made.title = open ? "Fold" : "Unfold";
  return made;
}

/** Folding by brackets: in the gutter, and with keys. */
export const folding = (): Extension => [foldService.of(foldOf), foldingOfLanguage()];

/** Folding as the language of the text says. */
export function foldingOfLanguage(): Extension {
  return [
    codeFolding({ placeholderText: "…" }),
    foldGutter({ markerDOM: marker }),
    keymap.of([
      { ...binding(keys.fold), run: foldCode },
      { ...binding(keys.unfold), run: unfoldCode },
    ]),
  ];
}
