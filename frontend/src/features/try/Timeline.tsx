/** What happened to the request when. */
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import type { InferResponse } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { milliseconds } from "../../lib/format";
import { useRevealed } from "../../ui/revealed";
import { partFill } from "../../workspace/StageBar";
import css from "./timeline.module.css";
import { type Trace, type TraceRow, traceOf } from "./trace";

type Props = { readonly model: string; readonly response: InferResponse };

export function Timeline({ model, response }: Props) {
  const [open, setOpen] = useState(false);
  const trace = traceOf(model, response);
  if (!trace) return null;
  return (
    <section className={css.timeline} aria-label="Timeline">
      <header className={css.head}>
        <button type="button" className={css.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
          <ChevronRight className={cx(open && css.open)} aria-hidden="true" />
          Timeline
        </button>
      </header>
      {open && <Rows trace={trace} />}
    </section>
  );
}

function Rows({ trace: { rows, end } }: { readonly trace: Trace }) {
  const revealed = useRevealed<HTMLDivElement>();
  return (
    <div ref={revealed}>
      <ul className={css.rows}>
        {rows.map((row) => (
          <Row key={row.key} row={row} end={end} />
        ))}
      </ul>
      <div className={css.axis} aria-hidden="true">
        <span>sent</span>
        <span>answered</span>
      </div>
    </div>
  );
}

const share = (ns: number, end: number) => `${(ns / end) * 100}%`;

function Row({ row, end }: { readonly row: TraceRow; readonly end: number }) {
  const note = row.notes.join("; ");
  const words = row.stretches
    .map(({ stage, from, to }) => `${stage} ${milliseconds(from / 1e6)} to ${milliseconds(to / 1e6)}`)
    .join(", ");
  const took = row.running ? "runs on" : milliseconds((row.to - row.from) / 1e6);
  return (
    <li title={words || undefined} aria-label={`${row.name}: ${took}`}>
      <span className={css.name} style={{ paddingLeft: row.depth * 12 }} title={row.name}>
        {row.name}
      </span>
      <span className={css.track}>
        <i
          className={css.whole}
          style={{ left: share(row.from, end), width: share(row.to - row.from, end) }}
        />
        {row.stretches.map(({ stage, from, to }) => (
          <i
            key={`${stage} ${from}`}
            style={{
              left: share(from, end),
              width: share(to - from, end),
              background: partFill(stage),
            }}
          />
        ))}
      </span>
      <span className={css.took}>{took}</span>
      {note && <span className={css.note}>{note}</span>}
    </li>
  );
}
