import { type EditorState, type Range, StateEffect, StateField, type Transaction } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { type AnalyzeResponse, type Diagnostic, Diagnostic_Severity } from "../../api/conch_pb";
import { type LineBreak, toDoc } from "./lines";

/** A diagnostic with its span counted as the editor counts, moved along with the text. */
export interface Finding {
  from: number;
  to: number;
  diagnostic: Diagnostic;
}

export interface Findings {
  list: readonly Finding[];
  marks: DecorationSet;
  hints: DecorationSet;
  /** The text has not changed since these were found, so that their fixes apply. */
  current: boolean;
}

/** More squiggles than this say nothing that fewer do not, and cost time with every key. */
const MARKS_SHOWN = 500;

export const setFindings = StateEffect.define<{ list: Finding[]; hints: { pos: number; text: string }[] }>();

class HintWidget extends WidgetType {
  constructor(readonly text: string) {
    super();
  }
  override eq(other: HintWidget): boolean {
    return other.text === this.text;
  }
  override toDOM(): HTMLElement {
    const hint = document.createElement("span");
    hint.className = "cm-conch-hint";
    hint.textContent = this.text;
    return hint;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

const classOf: Record<Diagnostic_Severity, string> = {
  [Diagnostic_Severity.UNSPECIFIED]: "cm-conch-advice",
  [Diagnostic_Severity.ERROR]: "cm-conch-error",
  [Diagnostic_Severity.WARNING]: "cm-conch-warning",
  [Diagnostic_Severity.ADVICE]: "cm-conch-advice",
};

/** A span without length is drawn under the character beside it. */
function drawn({ from, to }: Finding, length: number): [number, number] {
  if (to > from) return [from, to];
  return from < length ? [from, from + 1] : [Math.max(0, from - 1), from];
}

type Span = readonly [from: number, to: number];

/** What some spans leave of one. */
const rest = (span: Span, taken: readonly Span[]): Span[] =>
  taken.reduce<Span[]>(
    (left, [from, to]) =>
      left.flatMap(([a, b]) =>
        to <= a || b <= from
          ? [[a, b] as const]
          : [[a, from] as const, [to, b] as const].filter(([x, y]) => x < y),
      ),
    [span],
  );

const { ERROR, WARNING, ADVICE, UNSPECIFIED } = Diagnostic_Severity;
const gravity = [ERROR, WARNING, ADVICE, UNSPECIFIED];

/** A word has one squiggle: that of the gravest thing that is said of it. */
function marksOf(list: readonly Finding[], length: number): DecorationSet {
  const shown = list.slice(0, MARKS_SHOWN);
  const taken: Span[] = [];
  const marks = gravity.flatMap((severity) => {
    const own = shown
      .filter(({ diagnostic }) => diagnostic.severity === severity)
      .map((finding) => drawn(finding, length))
      .filter(([from, to]) => from < to);
    const parts = own.flatMap((span) => rest(span, taken));
    taken.push(...own);
    return parts.map(([from, to]) => Decoration.mark({ class: classOf[severity] }).range(from, to));
  });
  return Decoration.set(marks, true);
}

/** Hints stand at the ends of their lines, where they do not push the text apart. */
function hintsOf(hints: { pos: number; text: string }[], state: EditorState): DecorationSet {
  const widgets: Range<Decoration>[] = hints.map(({ pos, text }) =>
    Decoration.widget({ widget: new HintWidget(text), side: 1 }).range(state.doc.lineAt(pos).to),
  );
  return Decoration.set(widgets, true);
}

function moved(findings: Findings, transaction: Transaction): Findings {
  const { changes } = transaction;
  return {
    list: findings.list.map((finding) => ({
      ...finding,
      from: changes.mapPos(finding.from, 1),
      to: changes.mapPos(finding.to, -1),
    })),
    marks: findings.marks.map(changes),
    hints: findings.hints.map(changes),
    current: false,
  };
}

/** What is known about the text: problems and hints. They move with the text until the next answer. */
export const findingsField = StateField.define<Findings>({
  create: () => ({ list: [], marks: Decoration.none, hints: Decoration.none, current: false }),
  update(findings, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setFindings)) continue;
      const { list, hints } = effect.value;
      return {
        list,
        marks: marksOf(list, transaction.state.doc.length),
        hints: hintsOf(hints, transaction.state),
        current: true,
      };
    }
    return transaction.docChanged ? moved(findings, transaction) : findings;
  },
  provide: (field) => [
    EditorView.decorations.from(field, (findings) => findings.marks),
    EditorView.decorations.from(field, (findings) => findings.hints),
  ],
});

/** Takes an answer over into the editor's own counting. */
export function findingsOf(state: EditorState, answer: AnalyzeResponse, lineBreak: LineBreak) {
  const place = (offset: number) => toDoc(state.doc, offset, lineBreak);
  return setFindings.of({
    list: answer.diagnostics.map((diagnostic) => ({
      from: place(diagnostic.from),
      to: place(diagnostic.to),
      diagnostic,
    })),
    hints: answer.hints.map(({ offset, text }) => ({ pos: place(offset), text })),
  });
}

/** The gravest finding at a place, the smallest span first. */
export function findingAt(state: EditorState, pos: number): Finding | undefined {
  const here = state
    .field(findingsField)
    .list.filter(({ from, to }) => from <= pos && pos <= Math.max(to, from + 1));
  return here.sort(
    (a, b) => a.diagnostic.severity - b.diagnostic.severity || a.to - a.from - (b.to - b.from),
  )[0];
}
