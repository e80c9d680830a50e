/** A tensor as JSON, to read and to copy. */
import { useMemo } from "react";
import { count } from "../../lib/format";
import type { Element } from "../../lib/tensor";
import { toJson } from "../../lib/tensor-json";
import { Strings } from "../Strings";
import { runAt, type Shown } from "./source";
import css from "./tensor.module.css";
import { useCells } from "./useCells";

const shownElements = 2000;

export function RawView({ shown }: { shown: Shown }) {
  const first = useMemo(() => runAt(0, Math.min(shownElements, shown.count)), [shown]);
  const { cells } = useCells(shown, first);
  const text = useMemo(() => {
    if (!cells) return "";
    const values = { length: shown.count, at: (index: number) => cells.at(0, index) as Element };
    return toJson(shown.datatype, shown.shape, values, shownElements);
  }, [shown, cells]);
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key */}
      <section className={css.raw} aria-label="Values as JSON" tabIndex={0}>
        <pre>
          <Strings text={text} />
        </pre>
      </section>
      {shown.count > shownElements && (
        <div className={css.note}>
          The first {shownElements.toLocaleString("en")} of {count(shown.count, "element")}
        </div>
      )}
    </div>
  );
}
