import { equals } from "@bufbuild/protobuf";
import { completionStatus } from "@codemirror/autocomplete";
import { StateEffect, StateField, type Transaction } from "@codemirror/state";
import {
  type EditorView,
  hasHoverTooltips,
  hoverTooltip,
  keymap,
  runScopeHandlers,
  showTooltip,
  type Tooltip,
  type TooltipView,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import {
  type Diagnostic,
  Diagnostic_Severity,
  DiagnosticSchema,
  type Fix,
  type Related,
} from "../../api/conch_pb";
import { explainRule } from "../../window/dialogs";
import { isPress, keys, readable } from "../../window/keys";
import { revealInConfig } from "../../window/place";
import { type Finding, findingAt, findingsField, setFindings } from "./findings";
import css from "./popover.module.css";

export type ApplyFix = (view: EditorView, finding: Finding, fix: Fix) => void;

const BULB = "M6 12.5h4M6.5 14.5h3M5.5 10.5a4 4 0 1 1 5 0V12h-5z";

/** A pause in which typing goes on; the explanation comes only when it stops. */
const REST_MS = 600;

function element(tag: string, className: string | undefined, text = ""): HTMLElement {
  const made = document.createElement(tag);
  made.className = className ?? "";
  made.textContent = text;
  return made;
}

function bulb(): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", BULB);
  svg.append(path);
  return svg;
}

function fixButton(fix: Fix, first: boolean, run: () => void): HTMLElement {
  const button = element("button", css.fix) as HTMLButtonElement;
  button.type = "button";
  button.dataset.fix = "";
  button.append(bulb(), element("span", "", fix.title));
  if (!fix.safe) button.append(element("span", css.suggestion, "Suggestion"));
  if (first) button.append(element("kbd", css.key, readable(keys.fix)));
  button.addEventListener("mousedown", (event) => event.preventDefault());
  button.addEventListener("click", run);
  return button;
}

/** What Triton would do with such a config, before its own words. */
function tritonSays({ severity, triton }: Diagnostic): HTMLElement | undefined {
  if (triton === "") return undefined;
  const refuses = severity === Diagnostic_Severity.ERROR;
  const line = element("div", css.why, refuses ? "Triton would refuse this: " : "Triton would say: ");
  line.append(element("span", css.triton, triton));
  return line;
}

/** Another place that belongs to the problem, and the way there. */
function relatedLink({ model, path, from, to, line, message }: Related): HTMLElement {
  const link = element("button", css.related, `${model}, line ${line}: ${message}`) as HTMLButtonElement;
  link.type = "button";
  link.addEventListener("click", () => revealInConfig(model, { path, from, to }));
  return link;
}

/** The rule's ID, which opens its explanation. */
function ruleLink(code: string): HTMLElement {
  const link = element("button", css.code, code) as HTMLButtonElement;
  link.type = "button";
  link.setAttribute("aria-label", `Explain ${code}`);
  link.addEventListener("click", () => explainRule(code));
  return link;
}

/** What is shown of a finding: what is wrong, what Triton would say, and the fixes. */
export function card(view: EditorView, finding: Finding, applyFix: ApplyFix): HTMLElement {
  const { diagnostic } = finding;
  const root = element("section", css.card);
  root.setAttribute("aria-label", "Problem");
  const body = element("div", css.body);
  body.append(element("div", css.title, diagnostic.message));
  const says = tritonSays(diagnostic);
  if (says) body.append(says);
  for (const related of diagnostic.related) body.append(relatedLink(related));
  body.append(ruleLink(diagnostic.code));
  root.append(body);
  diagnostic.fixes.forEach((fix, index) => {
    root.append(fixButton(fix, index === 0, () => applyFix(view, finding, fix)));
  });
  return root;
}

/** A finding after others were found, the same object where nothing of it changed; without it, what else is found at its place. */
function refound(finding: Finding, state: EditorView["state"]): Finding | undefined {
  const { from, to, diagnostic } = finding;
  const now =
    state
      .field(findingsField)
      .list.find(
        (one) =>
          one.from === from &&
          one.diagnostic.code === diagnostic.code &&
          one.diagnostic.message === diagnostic.message,
      ) ?? findingAt(state, from);
  return now?.to === to && equals(DiagnosticSchema, now.diagnostic, diagnostic) ? finding : now;
}

const found = (transaction: Transaction): boolean =>
  transaction.effects.some((effect) => effect.is(setFindings));

/** Keys that mean the text also while the focus is in an explanation. */
const throughout = [keys.fix, keys.nextProblem, keys.previousProblem];

/** From an explanation, Escape leads back to the text, and one problem leads to the next. */
function passKeys(dom: HTMLElement, view: EditorView): void {
  dom.addEventListener("keydown", (event) => {
    const leaves = event.key === "Escape";
    if (!leaves && !throughout.some((key) => isPress(event, key))) return;
    if (leaves) view.focus();
    if (runScopeHandlers(view, event, "editor")) event.preventDefault();
  });
}

/** Moves the focus to the first fix of the explanation that is shown, or else to what is in it. */
export function focusExplained(view: EditorView): void {
  const shown = view.dom.querySelector("section[aria-label=Problem]");
  const first = shown?.querySelector<HTMLElement>("[data-fix]") ?? shown?.querySelector("button");
  first?.focus();
}

/** A tooltip of the finding at a place. */
type Explained = Tooltip & { at: number };

function tooltipFor(finding: Finding, applyFix: ApplyFix, state: EditorView["state"]): Explained {
  return {
    at: finding.from,
    // At the line's begin, so that it stands over the text and not over what is beside the editor.
    pos: state.doc.lineAt(finding.from).from,
    end: finding.to,
    above: false,
    create: (view): TooltipView => {
      const dom = card(view, finding, applyFix);
      passKeys(dom, view);
      let shown = finding;
      const update = ({ transactions, state }: ViewUpdate) => {
        const now = transactions.some(found) ? refound(shown, state) : shown;
        if (now === undefined || now === shown) return;
        shown = now;
        dom.replaceChildren(...card(view, now, applyFix).childNodes);
      };
      return { dom, update, offset: { x: 0, y: 4 } };
    },
  };
}

/** Shows the explanation of a finding, or with nothing takes it away. */
export const showFinding = StateEffect.define<Finding | undefined>();

/** What is explained now, because the cursor rests there or a list asked for it. */
const shownField = StateField.define<Finding | null>({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(showFinding)) return effect.value ?? null;
    if (shown && found(transaction)) return refound(shown, transaction.state) ?? null;
    return transaction.docChanged || transaction.selection ? null : shown;
  },
});

const asks = ({ transactions }: ViewUpdate): boolean =>
  transactions.some((tr) => tr.effects.some((effect) => effect.is(showFinding)));

/** Whether a person put the cursor where it is, or typed there. A fix is told by what it asks for. */
const moves = ({ selectionSet, transactions }: ViewUpdate): boolean =>
  selectionSet || transactions.some((tr) => tr.isUserEvent("input") || tr.isUserEvent("delete"));

/**
 * Explains by itself when the cursor comes to rest in a squiggle: once for each time that a person put it there. What is found later
 * without that, such as after a save or a fix elsewhere, covers no text.
 */
const restPlugin = ViewPlugin.fromClass(
  class {
    private timer: ReturnType<typeof setTimeout> | undefined;
    private moved = false;
    constructor(readonly view: EditorView) {}

    update(update: ViewUpdate): void {
      if (asks(update)) {
        this.moved = false;
        clearTimeout(this.timer);
        return;
      }
      const moved = moves(update);
      this.moved ||= moved;
      const changed = update.startState.field(findingsField) !== update.state.field(findingsField);
      if (!moved && !(changed && this.moved)) return;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.explain(), REST_MS);
    }

    private explain(): void {
      const { view } = this;
      if (view.state.field(shownField)) return; // it was asked for, and neither the text nor the cursor has moved since
      const { main } = view.state.selection;
      if (!view.hasFocus || !main.empty || completionStatus(view.state) || hasHoverTooltips(view.state))
        return;
      const finding = findingAt(view.state, main.head);
      if (finding) view.dispatch({ effects: showFinding.of(finding) });
    }

    destroy(): void {
      clearTimeout(this.timer);
    }
  },
);

/** Explanations of squiggles: under the pointer, at the resting cursor, and when asked for. */
export function popover(applyFix: ApplyFix) {
  const hover = hoverTooltip(
    (view, pos) => {
      // One explanation at a time.
      if (view.state.field(shownField)) return null;
      const finding = findingAt(view.state, pos);
      return finding ? tooltipFor(finding, applyFix, view.state) : null;
    },
    {
      hoverTime: 250,
      hideOnChange: true,
      hideOn: (transaction, tooltip) =>
        found(transaction) && findingAt(transaction.state, (tooltip as Explained).at) === undefined,
    },
  );
  const asked = showTooltip.compute([shownField], (state) => {
    const finding = state.field(shownField);
    return finding && tooltipFor(finding, applyFix, state);
  });
  const away = keymap.of([
    {
      key: "Escape",
      run: (view) => {
        if (!view.state.field(shownField)) return false;
        view.dispatch({ effects: showFinding.of(undefined) });
        return true;
      },
    },
  ]);
  return [shownField, asked, restPlugin, hover, away];
}
