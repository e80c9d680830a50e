import { X } from "lucide-react";
import type { ReactNode } from "react";
import css from "./FilterChip.module.css";

interface Props {
  /** What a list is narrowed to, in words: "Model digits". */
  readonly label: string;
  readonly onRemove: () => void;
  /** The same with its identifiers set as such, where it has any. */
  readonly children?: ReactNode;
}

/** What a list is narrowed to, and the way to take it off. */
export function FilterChip({ label, onRemove, children = label }: Props) {
  return (
    <span className={css.chip}>
      <span className={css.text}>{children}</span>
      <button
        type="button"
        className={css.remove}
        aria-label={`Remove the filter: ${label}`}
        title="Remove this filter"
        onClick={onRemove}
      >
        <X aria-hidden="true" />
      </button>
    </span>
  );
}
