import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  startCompletion,
} from "@codemirror/autocomplete";
import type { EditorView } from "@codemirror/view";
import { clients } from "../../api/client";
import type { CompletionItem } from "../../api/conch_pb";
import type { FileId } from "./fileId";
import { type LineBreak, toDoc, toText } from "./lines";

/** What the app writes where the cursor should end. */
const CURSOR = ["$", "{}"].join("");

/** How an answer is put into the text: what it replaces behind the cursor, and how lines end. */
interface Manner {
  tail: number;
  lineBreak: LineBreak;
}

/** Puts the text in and the cursor where the app says it should be, else at its end. */
function applyItem({ insert, label }: CompletionItem, { tail, lineBreak }: Manner) {
  const text = insert || label;
  const at = text.indexOf(CURSOR);
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
  return autocompletion({ override: [source], icons: false, activateOnTypingDelay: 60 });
}
