import { EditorView } from "@codemirror/view";
import type { TextSpot } from "../../window/textSpot";
import type { Finding } from "./findings";
import { type LineBreak, toDoc } from "./lines";
import { showFinding } from "./popover";

/** Where the cursor is, and which line is at the upper edge. */
export function spotIn(view: EditorView, path: string): TextSpot {
  const { doc, selection } = view.state;
  const at = doc.lineAt(selection.main.head);
  const above = view.scrollDOM.scrollTop - view.documentPadding.top; // lines are measured from below the padding
  const first = view.lineBlockAtHeight(above);
  return {
    path,
    line: at.number,
    column: selection.main.head - at.from,
    top: { line: doc.lineAt(first.from).number, offset: above - first.top },
  };
}

/** Takes cursor and scroll back to where they were, or as near as the text as it is now allows; quietly: without the focus. */
export function showSpot(view: EditorView, { line, column, top }: TextSpot, how?: "quietly"): void {
  const { doc } = view.state;
  const lineOf = (number: number) => doc.line(Math.min(number, doc.lines));
  const at = lineOf(line);
  view.dispatch({
    selection: { anchor: Math.min(at.from + column, at.to) },
    effects: EditorView.scrollIntoView(lineOf(top.line).from, { y: "start", yMargin: -top.offset }),
  });
  if (!how) view.focus();
}

/** Something to look at: a span as the API counts, or a problem that is explained. */
export interface Sight {
  from: number;
  to: number;
  explain?: Finding;
}

/** Selects it in the middle of the view. */
export function showSight(view: EditorView, { from, to, explain }: Sight, lineBreak: LineBreak): void {
  const { doc } = view.state;
  const span = explain ?? { from: toDoc(doc, from, lineBreak), to: toDoc(doc, to, lineBreak) };
  view.dispatch({
    selection: explain ? { anchor: span.from } : { anchor: span.from, head: span.to },
    effects: EditorView.scrollIntoView(span.from, { y: "center" }),
  });
  if (explain) view.dispatch({ effects: showFinding.of(explain) });
  view.focus();
}
