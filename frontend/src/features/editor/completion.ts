import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import type { EditorView } from "@codemirror/view";
import { clients } from "../../api/client";
import type { CompletionItem } from "../../api/conch_pb";
import { type LineBreak, toDoc, toText } from "./lines";
import type { FileId } from "./sessionState";

/** What the app writes where the cursor should end. */
const CURSOR = ["$", "{}"].join("");

/** Puts the text in and the cursor where the app says it should be, else at its end. */
function applyItem({ insert, label }: CompletionItem, lineBreak: LineBreak) {
  const text = insert || label;
  const at = text.indexOf(CURSOR);
  const plain = text.replace(CURSOR, "");
  return (view: EditorView, _: Completion, from: number, to: number) => {
    // Lines of an insertion keep the column of the line they begin on.
    const indent = /^\s*/.exec(view.state.doc.lineAt(from).text)?.[0] ?? "";
    const indented = plain.replace(/\n/g, `\n${indent}`);
    const before = at < 0 ? indented.length : plain.slice(0, at).replace(/\n/g, `\n${indent}`).length;
    view.dispatch({
      changes: { from, to, insert: indented.replaceAll("\n", lineBreak) },
      selection: { anchor: from + before },
      userEvent: "input.complete",
    });
  };
}

const optionOf = (item: CompletionItem, lineBreak: LineBreak): Completion => ({
  label: item.label,
  detail: item.detail,
  type: item.kind,
  info: item.documentation || undefined,
  apply: applyItem(item, lineBreak),
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
      return {
        from: toDoc(doc, answer.from, lineBreak),
        to: toDoc(doc, answer.to, lineBreak),
        options: answer.items.map((item) => optionOf(item, lineBreak)),
        validFor: /^\w*$/,
      };
    } catch {
      return null;
    }
  };
  return autocompletion({ override: [source], icons: false, activateOnTypingDelay: 60 });
}
