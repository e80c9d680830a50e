import { MergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";
import css from "./DiffView.module.css";
import { pbtxt } from "./pbtxt";
import { theme } from "./theme";

/** A text and where it is from: "On disk". */
export interface Side {
  name: string;
  text: string;
}

const shownOnly = (name: string): Extension => [
  lineNumbers(),
  pbtxt(),
  theme,
  EditorView.lineWrapping,
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ "aria-label": name, "aria-readonly": "true", tabindex: "0" }),
];

/** Two texts side by side, equal lines at the same height. What only one of them has is marked, to the word. */
export function DiffView({ before, after }: { before: Side; after: Side }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return;
    const view = new MergeView({
      parent: place.current,
      a: { doc: before.text, extensions: shownOnly(before.name) },
      b: { doc: after.text, extensions: shownOnly(after.name) },
      collapseUnchanged: { margin: 4, minSize: 6 },
    });
    return () => view.destroy();
  }, [before.name, before.text, after.name, after.text]);
  return (
    <>
      <div className={css.names} aria-hidden="true">
        <span>{before.name}</span>
        <span>{after.name}</span>
      </div>
      <div ref={place} className={css.texts} />
    </>
  );
}
