import { hoverTooltip } from "@codemirror/view";
import { clients } from "../../api/client";
import type { FileId } from "./fileId";
import { findingAt } from "./findings";
import css from "./hover.module.css";
import { type LineBreak, toDoc, toText } from "./lines";

function card(title: string, documentation: string): HTMLElement {
  const root = document.createElement("div");
  const head = document.createElement("div");
  const body = document.createElement("div");
  root.className = css.card ?? "";
  head.className = css.title ?? "";
  body.className = css.text ?? "";
  head.textContent = title;
  body.textContent = documentation;
  root.append(head, body);
  return root;
}

/** What the word under the pointer means; a problem there has the word instead. */
export function hoverHelp(file: FileId, lineBreak: LineBreak) {
  return hoverTooltip(
    async (view, pos) => {
      if (findingAt(view.state, pos)) return null;
      const { doc } = view.state;
      const question = { ...file, text: view.state.sliceDoc(), offset: toText(doc, pos, lineBreak) };
      const answer = await clients.editor.hover(question).catch(() => undefined);
      if (!answer?.found || view.state.doc !== doc) return null;
      return {
        pos: toDoc(doc, answer.from, lineBreak),
        end: toDoc(doc, answer.to, lineBreak),
        above: false, // above lie the banners, whose buttons it would cover
        create: () => ({ dom: card(answer.title, answer.documentation) }),
      };
    },
    { hoverTime: 400, hideOnChange: true },
  );
}
