/** Values typed as JSON. */
import { exampleValues } from "../../stores/tryDrafts";
import type { InputProps } from "./InputCard";
import css from "./try.module.css";

export function ValuesInput({ spec, draft, onChange }: InputProps) {
  const text = draft.values ?? exampleValues(spec, draft.shape);
  const lines = Math.min(12, Math.max(3, text.split("\n").length));
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
