/** A request that was stopped: after how long, and whether the model is free again. */
import { useEffect, useState } from "react";
import type { InferResponse, Worker } from "../../api/conch_pb";
import { count, duration } from "../../lib/format";
import { hasProcesses, useWorkers } from "../../workspace/workers";
import { useModelSummary } from "../../workspace/workspace";
import { BusyWorkers, busyOf } from "./Hanging";
import css from "./try.module.css";

type Props = {
  readonly model: string;
  readonly response: InferResponse;
  /** The next request was sent: what the program executes is told with that one. */
  readonly next: boolean;
};

export function Stopped({ model, response, next }: Props) {
  const summary = useModelSummary(model);
  const [isFree, setFree] = useState(false);
  if (!isFree && summary !== undefined && hasProcesses(summary))
    return <UntilFree model={model} response={response} next={next} onFree={() => setFree(true)} />;
  return (
    <p className={css.stopped}>
      {stoppedPhrase(response)}
      {summary?.ensemble !== true && " The model is free again."}
    </p>
  );
}

function stoppedPhrase({ error, decoupled, answers }: InferResponse): string {
  return decoupled ? `${error}, with ${count(Number(answers), "answer")} so far.` : `${error}.`;
}

/** A program is not stopped with its request: what it executes runs to its end, unless it is interrupted. */
function UntilFree({ model, response, next, onFree }: Props & { readonly onFree: () => void }) {
  const { data } = useWorkers(model);
  const workers = data?.workers ?? [];
  const busy = busyOf(workers);
  const starts = busy.length === 0 && workers.some(({ pid }) => pid === 0);
  const isFree = data !== undefined && busy.length === 0 && !starts;
  useEffect(() => {
    if (isFree) onFree();
  });
  return (
    <div className={css.stopped}>
      <p>
        {stoppedPhrase(response)}
        {starts && " The process of its program starts again."}
      </p>
      {!next && <BusyWorkers workers={busy} sentence={afterStop} />}
    </div>
  );
}

/** Once it was interrupted, it no longer executes what it did. */
const afterStop = (worker: Worker, how: string | undefined) =>
  how ?? (
    <>
      <span className="mono">{worker.name?.instance}</span> has executed a request for{" "}
      {duration(Number(worker.executingNs) / 1e6)} and has not returned yet. The next request waits for it.
    </>
  );
