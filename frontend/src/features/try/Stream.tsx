/** The answers of a decoupled model: a row for each, and one of them whole, the newest until the reader chooses another. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import type { InferResponse } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { nanoseconds } from "../../lib/format";
import { visibleText } from "../../lib/visible";
import { inOneLine, isText, joined } from "../../requests/streamed";
import { NumberBox } from "../../ui/NumberBox";
import { Segmented } from "../../ui/Segmented";
import { Strings } from "../../ui/Strings";
import { Outputs } from "./Outputs";
import css from "./stream.module.css";

type View = "list" | "text";

type Props = { readonly parts: readonly InferResponse[] };

export function Stream({ parts }: Props) {
  const [chosen, setChosen] = useState<number>(); // undefined: the newest
  const [view, setView] = useState<View>("list");
  const last = parts.length - 1;
  const at = Math.min(chosen ?? last, last);
  const part = parts[at];
  if (!part) return <p className={css.none}>No answer has come yet.</p>;
  if (parts.length === 1) return <Outputs outputs={part.outputs} />;
  const choose = (index: number) => setChosen(index >= last ? undefined : Math.max(0, index));
  return (
    <>
      <div className={css.picker}>
        Answer
        <NumberBox label="Answer" value={at + 1} min={1} max={parts.length} onChange={(n) => choose(n - 1)} />
        <span className="dim">of {parts.length.toLocaleString("en")}</span>
        {isText(parts) && (
          <span className={css.views}>
            <Segmented
              label="View of the answers"
              value={view}
              options={[
                { value: "list", label: "List" },
                { value: "text", label: "One text" },
              ]}
              onChange={setView}
            />
          </span>
        )}
      </div>
      {view === "text" && isText(parts) ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
        <pre className={css.text} tabIndex={0}>
          {visibleText(joined(parts))}
        </pre>
      ) : (
        <List parts={parts} at={at} onChoose={choose} />
      )}
      <Outputs outputs={part.outputs} />
    </>
  );
}

const rowHeight = 24;

type ListProps = Props & { readonly at: number; readonly onChoose: (index: number) => void };

/** Only the rows in sight are drawn: a model may answer thousands of times. */
function List({ parts, at, onChoose }: ListProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: parts.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const scrollTo = virtual.scrollToIndex;
  useEffect(() => scrollTo(at, { align: "auto" }), [at, scrollTo]);
  const numbers = `${parts.length.toLocaleString("en").length}ch`; // as wide as the last one
  return (
    <div ref={scroll} className={css.list}>
      <ol aria-label="Answers, in the order in which they came" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const part = parts[index];
          if (!part) return null;
          return (
            <li key={index} style={{ top: start }}>
              <button
                type="button"
                className={cx(css.row, index === at && css.selected)}
                style={{ gridTemplateColumns: `${numbers} 64px minmax(0, 1fr)` }}
                aria-pressed={index === at}
                onClick={() => onChoose(index)}
              >
                <span className={css.number}>{(index + 1).toLocaleString("en")}</span>
                <span className={css.time}>{nanoseconds(part.timings?.roundTripNs ?? 0n)}</span>
                <span className={css.values}>
                  <Strings text={inOneLine(part)} />
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
