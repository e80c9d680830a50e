/** What went between an ensemble's steps, or to and from the models that a program called, folded under each step or call. */
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import type { InferResponse, TracedTensor } from "../../api/conch_pb";
import { tracedQuery } from "../../api/queries";
import { cx } from "../../lib/cx";
import { bytes } from "../../lib/format";
import { executes } from "../../lib/requestTime";
import { patchTry, tryOf, useTries } from "../../requests/tries";
import { useRevealed } from "../../ui/revealed";
import { Spinner } from "../../ui/Spinner";
import { TensorView } from "../../ui/tensor/TensorView";
import { ErrorBox } from "../../workspace/ErrorBox";
import css from "./timeline.module.css";
import { type StepRow, stepRows } from "./trace";

type Words = { readonly title: string; readonly keep: string; readonly again: string; readonly step: string };

const ofSteps: Words = {
  title: "Between the steps",
  keep: "Keep the tensors between steps",
  again: "Send the request again to see what each step gives.",
  step: "Step",
};

const ofCalls: Words = {
  title: "Calls of other models",
  keep: "Keep the tensors of calls",
  again: "Send the request again to see what each call gives.",
  step: "Call",
};

type Props = { readonly model: string; readonly response: InferResponse };

export function Between({ model, response }: Props) {
  const keep = useTries((state) => tryOf(model)(state).keepTensors);
  const kept = response.traceId > 0n;
  const words = executes(response) ? ofCalls : ofSteps;
  return (
    <section className={css.between} aria-label={words.title}>
      <header className={css.head}>
        <span className={css.title}>{words.title}</span>
        <label className={css.keep}>
          <input
            type="checkbox"
            checked={keep}
            onChange={(event) => patchTry(model, { keepTensors: event.target.checked })}
          />
          {words.keep}
        </label>
      </header>
      {!kept && keep && <p className={css.from}>{words.again}</p>}
      {kept &&
        stepRows(response.steps).map((step) => (
          <Step key={step.number} word={words.step} step={step} traceId={response.traceId} />
        ))}
    </section>
  );
}

type StepProps = { readonly word: string; readonly step: StepRow; readonly traceId: bigint };

function Step({ word, step, traceId }: StepProps) {
  const [open, setOpen] = useState(false);
  return (
    <div>
      <button type="button" className={css.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight className={cx(open && css.open)} aria-hidden="true" />
        {word} {step.number} · <span className="mono">{step.model}</span>
      </button>
      {open && <GivenBy step={step} traceId={traceId} />}
    </div>
  );
}

function GivenBy({ step, traceId }: { readonly step: StepRow; readonly traceId: bigint }) {
  const { data, error } = useQuery(tracedQuery(traceId));
  if (error) return <ErrorBox title="The tensors are no longer kept" error={error} />;
  if (!data) return <Spinner label="Reading the tensors" />;
  const given = data.tensors.filter(({ path, output }) => output && path.join(".") === step.path);
  if (given.length === 0) return <p className={css.from}>No tensors were kept of it.</p>;
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
