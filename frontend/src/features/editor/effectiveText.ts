import { EditorState, type Range } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";
import type { FilledField } from "../../api/conch_pb";
import { viewing } from "./extensions";
import { openSearch } from "./search";

class ReasonWidget extends WidgetType {
  constructor(readonly reason: string) {
    super();
  }
  override eq(other: ReasonWidget): boolean {
    return other.reason === this.reason;
  }
  override toDOM(): HTMLElement {
    const reason = document.createElement("span");
    reason.className = "cm-conch-hint";
    reason.textContent = this.reason;
    return reason;
  }
}

const brackets = (line: string) => (line.match(/[[{<]/g) ?? []).length - (line.match(/[\]}>]/g) ?? []).length;

/** The last line of the field that begins on a line: where its brackets are closed again. */
export function lastLine(lines: readonly string[], first: number): number {
  let depth = 0;
  for (let at = first; at <= lines.length; at++) {
    depth += brackets(lines[at - 1] ?? "");
    if (depth <= 0) return at;
  }
  return lines.length;
}

function decorations(state: EditorState, filled: readonly FilledField[]) {
  const lines = state.doc.toString().split("\n");
  const ranges: Range<Decoration>[] = [];
  for (const { line, reason } of filled) {
    if (line < 1 || line > state.doc.lines) continue;
    for (let at = line; at <= lastLine(lines, line); at++) {
      ranges.push(Decoration.line({ class: "cm-conch-filled" }).range(state.doc.line(at).from));
    }
    ranges.push(
      Decoration.widget({ widget: new ReasonWidget(reason), side: 1 }).range(state.doc.line(line).to),
    );
  }
  return Decoration.set(ranges, true);
}

/** A text to be read, with what was filled in marked and explained. */
export function createEffectiveText(
  parent: HTMLElement,
  effective: { text: string; filled: readonly FilledField[] },
) {
  const readOnly = [
    EditorState.readOnly.of(true),
    EditorView.contentAttributes.of({ "aria-label": "Effective config" }),
  ];
  const plain = EditorState.create({ doc: effective.text, extensions: [readOnly, viewing()] });
  const marks = EditorView.decorations.of(decorations(plain, effective.filled));
  const state = EditorState.create({ doc: plain.doc, extensions: [readOnly, viewing(), marks] });
  const view = new EditorView({ parent, state });
  return { search: () => openSearch(view), destroy: () => view.destroy() };
}
