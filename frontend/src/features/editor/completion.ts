import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  clearSnippet,
  completionStatus,
  nextSnippetField,
  prevSnippetField,
  snippet,
  snippetKeymap,
  startCompletion,
} from "@codemirror/autocomplete";
import { EditorView } from "@codemirror/view";
import { clients } from "../../api/client";
import type { CompletionItem } from "../../api/conch_pb";
import { floating } from "../../ui/floating";
import type { FileId } from "./fileId";
import { type LineBreak, toDoc, toText } from "./lines";

/** The arrow keys of the text move in the list; the list itself can have the focus too, so that it can be scrolled. */
const listInReach = EditorView.updateListener.of(({ state }) => {
  if (completionStatus(state) !== "active") return;
  for (const list of floating().querySelectorAll<HTMLElement>(".cm-tooltip-autocomplete > ul"))
    list.tabIndex = 0;
});

/** What the app writes where the cursor should go. */
const CURSOR = ["$", "{}"].join("");

/** How an answer is put into the text: what it replaces behind the cursor, and how lines end. */
interface Manner {
  tail: number;
  lineBreak: LineBreak;
}

/** Puts the text in and the cursor where the app says it should be, else at its end. */
export function applyItem(
  { insert, label }: Pick<CompletionItem, "insert" | "label">,
  { tail, lineBreak }: Manner,
) {
  const text = insert || label;
  const at = text.indexOf(CURSOR);
  if (at !== text.lastIndexOf(CURSOR)) return applyFields(text, tail);
  const plain = text.replace(CURSOR, "");
  return (view: EditorView, _: Completion, from: number, to: number) => {
    view.dispatch({
      changes: { from, to: to + tail, insert: plain.replaceAll("\n", lineBreak) },
      selection: { anchor: from + (at < 0 ? plain.length : at) },
      userEvent: "input.complete",
    });
    // A place for a value is a question in itself.
    if (at >= 0) startCompletion(view);
  };
}

/**
 * Puts a text in that has several places for the cursor; Tab goes from one to the next. The quotes around a place belong
 * to it, so that a name which is completed there, with its quotes, is still in the place.
 */
function applyFields(text: string, tail: number) {
  let count = 0;
  const template = text.replace(/("?)\$\{\}\1/g, (_, quote) =>
    quote ? `\${${++count}:""}` : `\${${++count}}`,
  );
  return (view: EditorView, picked: Completion, from: number, to: number) => {
    // The template's lines are indented as this line is, and the app has indented them already.
    const indent = /^\s*/.exec(view.state.doc.lineAt(from).text)?.[0] ?? "";
    snippet(template.replaceAll(`\n${indent}`, "\n"))(view, picked, from, to + tail);
    enterPlace(view);
  };
}

/** Moves the cursor between the quotes of the place that is selected, and asks what fits there. */
function enterPlace(view: EditorView) {
  const { from, to } = view.state.selection.main;
  if (view.state.sliceDoc(from, to) === '""') view.dispatch({ selection: { anchor: from + 1 } });
  startCompletion(view);
}

/** Tab takes what is offered, and goes to the next place. */
export const placeKeys = snippetKeymap.of([
  {
    key: "Tab",
    run: (view) => {
      const taken = acceptCompletion(view);
      if (taken && isPlace(view)) return true; // what was taken asks for something itself
      return moved(view, nextSnippetField(view)) || taken;
    },
    shift: (view) => moved(view, prevSnippetField(view)),
  },
  { key: "Escape", run: clearSnippet },
]);

/** Whether the cursor is where a name, or something that is selected, is still to be typed. */
function isPlace({ state }: EditorView): boolean {
  const { empty, head } = state.selection.main;
  return !empty || state.sliceDoc(head - 1, head + 1) === '""';
}

function moved(view: EditorView, done: boolean) {
  if (done) enterPlace(view);
  return done;
}

/**
 * What is typed of a name begins with its quote, so that the name is looked for with one. The order is the app's:
 * what is not used yet first.
 */
const optionOf = (item: CompletionItem, manner: Manner, index: number): Completion => ({
  label: item.insert.startsWith('"') ? item.insert : item.label,
  displayLabel: item.label,
  detail: item.detail,
  type: item.kind,
  info: item.documentation || undefined,
  boost: -Math.min(index, 90),
  apply: applyItem(item, manner),
});

/** Field names, enum values, models and tensors, as the app knows them for this place. */
export function completion(file: FileId, lineBreak: LineBreak) {
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { doc } = context.state;
    const typing = context.matchBefore(/[\w./-]+|["':[]/);
    if (!typing && !context.explicit) return null;
    const abort = new AbortController();
    context.addEventListener("abort", () => abort.abort());
    const question = { ...file, text: context.state.sliceDoc(), offset: toText(doc, context.pos, lineBreak) };
    try {
      const answer = await clients.editor.complete(question, { signal: abort.signal });
      if (answer.items.length === 0) return null;
      // What stands behind the cursor is replaced too, but says nothing about what is wanted.
      const tail = Math.max(0, toDoc(doc, answer.to, lineBreak) - context.pos);
      return {
        from: toDoc(doc, answer.from, lineBreak),
        options: answer.items.map((item, index) => optionOf(item, { tail, lineBreak }, index)),
        validFor: /^(\w*|"[^"\n]*"?)$/,
      };
    } catch {
      return null;
    }
  };
  return [
    autocompletion({ override: [source], icons: false, activateOnTypingDelay: 60 }),
    listInReach,
    placeKeys,
  ];
}
