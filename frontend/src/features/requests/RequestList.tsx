/** The rows of the history; only those in view are drawn. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import type { HistoryEntry } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { arrows, moment } from "../../lib/format";
import { visibleText } from "../../lib/visible";
import { hasFailed, inShort, tookText } from "../../requests/failed";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { useKeptScroll } from "../../window/useKeptScroll";
import { asSentence } from "../../workspace/workspace";
import css from "./requests.module.css";

const rowHeight = 36;

type Props = {
  readonly entries: readonly HistoryEntry[];
  readonly selected: bigint | undefined;
  readonly onSelect: (id: bigint) => void;
};

export function RequestList({ entries, selected, onSelect }: Props) {
  const scroll = useRef<HTMLDivElement>(null);
  const kept = useKeptScroll("requests", scroll);
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  if (entries.length === 0) return <p className={css.none}>No request matches.</p>;
  return (
    <div ref={kept} className={css.scroll}>
      <ul className={css.rows} aria-label="Requests, newest first" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const entry = entries[index];
          if (!entry) return null;
          return (
            <li key={String(entry.id)} style={{ top: start }}>
              <Row entry={entry} selected={entry.id === selected} onSelect={() => onSelect(entry.id)} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

type RowProps = { readonly entry: HistoryEntry; readonly selected: boolean; readonly onSelect: () => void };

function Row({ entry, selected, onSelect }: RowProps) {
  return (
    <button
      type="button"
      className={cx(css.row, selected && css.selected)}
      aria-pressed={selected}
      onClick={onSelect}
    >
      <span className={css.time}>{moment(entry.time)}</span>
      <span className={css.model}>
        <MiddleTruncate text={entry.model} />
        {entry.modelVersion && <span className={css.version}>v{entry.modelVersion}</span>}
      </span>
      <span
        className={hasFailed(entry) ? css.error : css.summary}
        title={visibleText(entry.ok ? entry.summary : entry.error)}
      >
        {visibleText(entry.ok ? arrows(entry.summary) : asSentence(inShort(entry.error)))}
      </span>
      <span className={cx(css.took, hasFailed(entry) && css.bad)}>{tookText(entry)}</span>
    </button>
  );
}
