import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, type KeyBinding } from "@codemirror/view";
import { keys as shortcuts } from "../../window/keys";
import { binding } from "./binding";
import { completion } from "./completion";
import { editing, viewing } from "./extensions";
import type { FileId } from "./fileId";
import { findingsField } from "./findings";
import { applyFix, quickFix, stepProblem } from "./fixes";
import { folding, foldingOfLanguage } from "./folding";
import { hoverHelp } from "./hover";
import type { LineBreak } from "./lines";
import { pbtxt } from "./pbtxt";
import { popover } from "./popover";
import { isConfig, isProgram, python } from "./program";
import { settlesWithHeight } from "./settled";

/** What the keys of the editor ask the session for. */
export interface Hands {
  save: () => void;
  format: () => void;
  definition: (view: EditorView, pos?: number) => void;
  uses: (view: EditorView) => void;
  rename: (view: EditorView) => void;
  outline: () => void;
  /** Takes a list away; false when there was none. */
  dismiss: () => boolean;
}

const done = <A extends unknown[]>(action: (...given: A) => void) => {
  return (...given: A) => {
    action(...given);
    return true;
  };
};

function keys(hands: Hands, file: FileId, lineBreak: LineBreak): readonly KeyBinding[] {
  return [
    { ...binding(shortcuts.save), preventDefault: true, run: done(() => hands.save()) },
    { ...binding(shortcuts.fix), run: (view) => quickFix(view, file, lineBreak) },
    { ...binding(shortcuts.nextProblem), run: (view) => stepProblem(view, 1) },
    { ...binding(shortcuts.previousProblem), run: (view) => stepProblem(view, -1) },
    { ...binding(shortcuts.format), run: done(() => hands.format()) },
    { ...binding(shortcuts.definition), preventDefault: true, run: done((view) => hands.definition(view)) },
    { ...binding(shortcuts.uses), preventDefault: true, run: done((view) => hands.uses(view)) },
    { ...binding(shortcuts.rename), preventDefault: true, run: done((view) => hands.rename(view)) },
    { key: "Escape", run: () => hands.dismiss() },
    { ...binding(shortcuts.outline), preventDefault: true, run: done(() => hands.outline()) },
  ];
}

/** Ctrl and a click go to the definition. */
const clicks = (hands: Hands) =>
  EditorView.domEventHandlers({
    mousedown(event, view) {
      if (!(event.ctrlKey || event.metaKey) || event.button !== 0) return false;
      const pos = view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (pos === null) return false;
      event.preventDefault();
      hands.definition(view, pos);
      return true;
    },
  });

export interface Setup {
  file: FileId;
  lineBreak: LineBreak;
  readOnly: boolean;
  hands: Hands;
  listener: Extension;
}

/** What only the text of a config has. */
const ofConfig = ({ file, lineBreak, hands }: Setup): Extension => [
  completion(file, lineBreak),
  hoverHelp(file, lineBreak),
  clicks(hands),
  folding(),
];

const languageOf = ({ path }: FileId): Extension =>
  isConfig(path) ? pbtxt() : isProgram(path) ? python() : [];

/** Everything an editor of a text is made of. */
export const setup = (given: Setup): Extension => [
  base(given),
  isConfig(given.file.path) ? ofConfig(given) : foldingOfLanguage(),
  viewing(languageOf(given.file)), // the indentation of a language comes before the usual one
  editing(keys(given.hands, given.file, given.lineBreak)),
  given.listener,
];

const base = ({ file, lineBreak, readOnly }: Setup): Extension => [
  EditorState.lineSeparator.of(lineBreak),
  EditorState.readOnly.of(readOnly),
  EditorView.contentAttributes.of({ "aria-label": file.path }),
  findingsField,
  settlesWithHeight,
  popover((view, _, fix) => applyFix(view, fix, { file, lineBreak })),
];
