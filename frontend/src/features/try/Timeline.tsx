/** What happened to the request when, and on demand what went between an ensemble's steps. */
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import type { InferResponse, TracedTensor } from "../../api/conch_pb";
import { tracedQuery } from "../../api/queries";
import { cx } from "../../lib/cx";
import { bytes, milliseconds } from "../../lib/format";
import { patchTry, tryOf, useTries } from "../../requests/tries";
import { TensorView } from "../../ui/tensor/TensorView";
import { ErrorBox } from "../../workspace/ErrorBox";
import { partFill } from "../../workspace/StageBar";
import css from "./timeline.module.css";
import { type Trace, type TraceRow, traceOf } from "./trace";

type Props = { readonly model: string; readonly response: InferResponse };

export function Timeline({ model, response }: Props) {
  const [open, setOpen] = useState(false);
  const trace = traceOf(model, response);
  if (!trace) return null;
  const ensemble = response.steps.length > 0;
  return (
    <section className={css.timeline} aria-label="Timeline">
      <header className={css.head}>
        <button type="button" className={css.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
          <ChevronRight className={cx(open && css.open)} aria-hidden="true" />
          Timeline
        </button>
        {open && ensemble && <Keep model={model} />}
      </header>
      {open && <Rows trace={trace} />}
      {open && ensemble && response.traceId > 0n && <Between traceId={response.traceId} />}
    </section>
  );
}

/** The engine keeps tensors only when it is asked to. */
function Keep({ model }: { readonly model: string }) {
  const keep = useTries((state) => tryOf(model)(state).keepTensors);
  return (
    <label className={css.keep}>
      <input
        type="checkbox"
        checked={keep}
        onChange={(event) => patchTry(model, { keepTensors: event.target.checked })}
      />
      Keep the tensors between steps
    </label>
  );
}

function Rows({ trace: { rows, end } }: { readonly trace: Trace }) {
  return (
    <>
      <ul className={css.rows}>
        {rows.map((row) => (
          <Row key={row.key} row={row} end={end} />
        ))}
      </ul>
      <div className={css.axis} aria-hidden="true">
        <span>sent</span>
        <span>answered, {milliseconds(end / 1e6)}</span>
      </div>
    </>
  );
}

const share = (ns: number, end: number) => `${(ns / end) * 100}%`;

function Row({ row, end }: { readonly row: TraceRow; readonly end: number }) {
  const note = row.notes.join("; ");
  const words = row.stretches
    .map(({ stage, from, to }) => `${stage} ${milliseconds(from / 1e6)} to ${milliseconds(to / 1e6)}`)
    .join(", ");
  return (
    <li title={words || undefined} aria-label={`${row.name}: ${milliseconds((row.to - row.from) / 1e6)}`}>
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
      <span className={css.took}>{milliseconds((row.to - row.from) / 1e6)}</span>
      {note && <span className={css.note}>{note}</span>}
    </li>
  );
}

/** What each step gave, in the order of the steps. */
function Between({ traceId }: { readonly traceId: bigint }) {
  const { data, error } = useQuery(tracedQuery(traceId));
  if (error) return <ErrorBox title="The tensors between the steps are no longer kept" error={error} />;
  const given = (data?.tensors ?? []).filter(({ path, output }) => path.length > 0 && output);
  return (
    <div className={css.between}>
      {given.map((traced) => (
        <Given key={`${traced.path.join(".")} ${traced.response} ${traced.tensor?.name}`} traced={traced} />
      ))}
    </div>
  );
}

function Given({ traced: { path, model, tensor, byteSize } }: { readonly traced: TracedTensor }) {
  if (!tensor) return null;
  const cut = byteSize > BigInt(tensor.raw.length);
  return (
    <section aria-label={`${tensor.name} given by ${model}`}>
      <p className={css.from}>
        Step {path.map((step) => step + 1).join(".")}, <b>{model}</b>, gives
        {cut && ` ${bytes(byteSize)}, too much to be shown`}
      </p>
      <TensorView tensor={tensor} />
    </section>
  );
}
