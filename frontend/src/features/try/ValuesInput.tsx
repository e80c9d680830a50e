/** Values typed as JSON. */
import { exampleValues } from "../../requests/tryDrafts";
import type { InputProps } from "./inputProps";
import css from "./try.module.css";

export function ValuesInput({ spec, draft, onChange }: InputProps) {
  const text = draft.values ?? exampleValues(spec, draft.shape);
  const lines = Math.min(12, Math.max(2, linesOf(text)));
  return (
    <textarea
      className={css.area}
      aria-label={`Values of ${spec.name}`}
      spellCheck={false}
      rows={lines}
      value={text}
      onChange={(event) => onChange({ values: event.target.value })}
    />
  );
}

const columns = 50; // characters in a line of the pane at its usual width

/** Lines that the text takes when long ones wrap; a long text is not counted to its end. */
function linesOf(text: string): number {
  const lines = text.slice(0, 2000).split("\n");
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
}
