/** A tensor as JSON, to read and to copy. */
import { useMemo } from "react";
import { toJson } from "../../lib/tensor-json";
import css from "./tensor.module.css";
import type { Shown } from "./views";

const shownElements = 2000;

export function RawView({ shown }: { shown: Shown }) {
  const text = useMemo(() => toJson(shown.datatype, shown.shape, shown.values, shownElements), [shown]);
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key */}
      <section className={css.raw} aria-label="Values as JSON" tabIndex={0}>
        <pre>{text}</pre>
      </section>
      {shown.values.length > shownElements && (
        <div className={css.note}>
          The first {shownElements} of {shown.values.length} elements
        </div>
      )}
    </div>
  );
}
