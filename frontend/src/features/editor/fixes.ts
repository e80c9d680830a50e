import { EditorView } from "@codemirror/view";
import type { Fix } from "../../api/conch_pb";
import { makeFileFor, makesFile } from "../../workspace/repair";
import type { FileId } from "./fileId";
import { type Finding, findingAt, findingsField } from "./findings";
import { type LineBreak, toDoc } from "./lines";
import { focusExplained, showFinding } from "./popover";

/** Whose fix it is, and how its lines end. */
interface Where {
  file: FileId;
  lineBreak: LineBreak;
}

/** Applies a fix as one step that can be undone. Not on a text that changed since it was proposed. */
export function applyFix(view: EditorView, fix: Fix, { file, lineBreak }: Where): boolean {
  const { state } = view;
  if (makesFile(fix)) {
    view.dispatch({ effects: showFinding.of(undefined) });
    void makeFileFor(file.model, fix);
    return true;
  }
  if (state.readOnly || !state.field(findingsField).current) return false;
  const edits = fix.edits.map(({ from, to, insert }) => ({
    from: toDoc(state.doc, from, lineBreak),
    to: toDoc(state.doc, to, lineBreak),
    insert: insert.replaceAll("\n", lineBreak),
  }));
  const changes = state.changes(edits);
  const { head } = state.selection.main;
  const here = edits.find(({ from, to }) => from <= head && head <= to)?.to ?? head;
  view.dispatch({
    changes,
    selection: { anchor: changes.mapPos(here, 1) }, // behind what was repaired at the cursor
    effects: showFinding.of(undefined),
    userEvent: "input.fix",
    scrollIntoView: true,
  });
  view.focus();
  return true;
}

/** The finding that a command at the cursor means: the one under it, else the next one on its line. */
export function findingHere({ state }: EditorView): Finding | undefined {
  const { head } = state.selection.main;
  const line = state.doc.lineAt(head);
  const onLine = state.field(findingsField).list.find(({ from }) => line.from <= from && from <= line.to);
  return findingAt(state, head) ?? onLine;
}

/** Does the only fix at once, shows several to choose from. */
export function quickFix(view: EditorView, file: FileId, lineBreak: LineBreak): boolean {
  const finding = findingHere(view);
  if (!finding) return false;
  const [first, second] = finding.diagnostic.fixes;
  if (first && !second) return applyFix(view, first, { file, lineBreak });
  view.dispatch({ effects: showFinding.of(finding) });
  focusExplained(view);
  return true;
}

/** Room for most explanations under their lines, so that they cover no list of problems. */
const EXPLAINED_PX = 140;

/** F8: selects the next problem after the cursor (or before it) and explains it; goes round. */
export function stepProblem(view: EditorView, step: 1 | -1): boolean {
  const list = [...view.state.field(findingsField).list].sort((a, b) => a.from - b.from);
  if (list.length === 0) return false;
  const { head } = view.state.selection.main;
  const next =
    step > 0
      ? (list.find(({ from }) => from > head) ?? list[0])
      : (list.findLast(({ to }) => to < head) ?? list.at(-1));
  if (!next) return false;
  revealFinding(view, next);
  return true;
}

export function revealFinding(view: EditorView, finding: Finding): void {
  const room = Math.min(EXPLAINED_PX, view.scrollDOM.clientHeight / 3);
  view.dispatch({
    selection: { anchor: finding.from },
    effects: EditorView.scrollIntoView(finding.from, { yMargin: room }),
  });
  view.dispatch({ effects: showFinding.of(finding) });
  view.focus();
}
