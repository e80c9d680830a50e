/** What went between an ensemble's steps, folded under each step. */
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import type { InferResponse, TracedTensor } from "../../api/conch_pb";
import { tracedQuery } from "../../api/queries";
import { cx } from "../../lib/cx";
import { bytes } from "../../lib/format";
import { patchTry, tryOf, useTries } from "../../requests/tries";
import { useRevealed } from "../../ui/revealed";
import { Spinner } from "../../ui/Spinner";
import { TensorView } from "../../ui/tensor/TensorView";
import { ErrorBox } from "../../workspace/ErrorBox";
import css from "./timeline.module.css";
import { type StepRow, stepRows } from "./trace";

type Props = { readonly model: string; readonly response: InferResponse };

export function Between({ model, response }: Props) {
  const keep = useTries((state) => tryOf(model)(state).keepTensors);
  const kept = response.traceId > 0n;
  return (
    <section className={css.between} aria-label="Between the steps">
      <header className={css.head}>
        <span className={css.title}>Between the steps</span>
        <label className={css.keep}>
          <input
            type="checkbox"
            checked={keep}
            onChange={(event) => patchTry(model, { keepTensors: event.target.checked })}
          />
          Keep the tensors between steps
        </label>
      </header>
      {!kept && keep && <p className={css.from}>Send the request again to see what each step gives.</p>}
      {kept &&
        stepRows(response.steps).map((step) => (
          <Step key={step.number} step={step} traceId={response.traceId} />
        ))}
    </section>
  );
}

function Step({ step, traceId }: { readonly step: StepRow; readonly traceId: bigint }) {
  const [open, setOpen] = useState(false);
  return (
    <div>
      <button type="button" className={css.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight className={cx(open && css.open)} aria-hidden="true" />
        Step {step.number} · <span className="mono">{step.model}</span>
      </button>
      {open && <GivenBy step={step} traceId={traceId} />}
    </div>
  );
}

function GivenBy({ step, traceId }: { readonly step: StepRow; readonly traceId: bigint }) {
  const { data, error } = useQuery(tracedQuery(traceId));
  if (error) return <ErrorBox title="The tensors between the steps are no longer kept" error={error} />;
  if (!data) return <Spinner label="Reading the tensors" />;
  const given = data.tensors.filter(({ path, output }) => output && path.join(".") === step.path);
  if (given.length === 0) return <p className={css.from}>No tensors were kept for this step.</p>;
  return <GivenTensors given={given} />;
}

function GivenTensors({ given }: { readonly given: readonly TracedTensor[] }) {
  const revealed = useRevealed<HTMLDivElement>();
  return (
    <div ref={revealed}>
      {given.map((traced) => (
        <Given key={`${traced.response} ${traced.tensor?.name}`} traced={traced} />
      ))}
    </div>
  );
}

function Given({ traced: { model, tensor, byteSize } }: { readonly traced: TracedTensor }) {
  if (!tensor) return null;
  const cut = byteSize > BigInt(tensor.raw.length);
  return (
    <section className={css.given} aria-label={`${tensor.name} given by ${model}`}>
      {cut && (
        <p className={css.from}>
          The first {bytes(tensor.raw.length)} of {bytes(byteSize)}
        </p>
      )}
      <TensorView tensor={tensor} />
    </section>
  );
}
