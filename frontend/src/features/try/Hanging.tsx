/** A request that takes long: which process runs it, where it is, and a way to interrupt it. */
import { type ReactNode, useEffect, useRef } from "react";
import type { Worker } from "../../api/conch_pb";
import { duration } from "../../lib/format";
import type { Running } from "../../requests/tries";
import { useElapsed } from "../../ui/useElapsed";
import { useWorkerActions, WorkerAnswer, WorkerButtons } from "../../workspace/WorkerActions";
import { keyOf, useWorkers } from "../../workspace/workers";
import css from "./hanging.module.css";

/** Most requests are answered by then. */
const LONG_MS = 3_000;

type Props = {
  readonly model: string;
  readonly running: Running;
  /** The request before was stopped, so it is known already that the program may be busy. */
  readonly known: boolean | undefined;
};

export function Hanging({ model, running, known }: Props) {
  const isLong = (useElapsed(running.at) ?? 0) >= LONG_MS;
  return (known || isLong) && <Executing model={model} />;
}

function Executing({ model }: { readonly model: string }) {
  const { data } = useWorkers(model);
  return <BusyWorkers workers={busyOf(data?.workers ?? [])} />;
}

/** Those that execute something now. */
export const busyOf = (workers: readonly Worker[]): readonly Worker[] =>
  workers.filter((worker) => worker.executingNs > 0n);

/** What is said of a process; `how` is how its execution ended that was interrupted. */
type Sentence = (worker: Worker, how: string | undefined) => ReactNode;

/** What each of these processes does, and what can be asked of it. `sentence` is said instead where more is known. */
export function BusyWorkers({
  workers,
  sentence,
}: {
  readonly workers: readonly Worker[];
  readonly sentence?: Sentence;
}) {
  return workers.map((worker) => <Busy key={keyOf(worker)} worker={worker} sentence={sentence} />);
}

type BusyProps = { readonly worker: Worker; readonly sentence?: Sentence };

function Busy({ worker, sentence = executes }: BusyProps) {
  const actions = useWorkerActions(worker);
  const { how, ...told } = actions.told;
  const isOver = how !== undefined; // it is told until the process executes something else
  const { dismiss } = actions;
  const before = useRef(worker.executingNs);
  useEffect(() => {
    if (isOver && worker.executingNs < before.current) dismiss();
    before.current = worker.executingNs;
  }, [isOver, worker.executingNs, dismiss]);
  return (
    <div className={css.busy}>
      <p className={css.what}>{sentence(worker, how)}</p>
      {!isOver && (
        <div className={css.buttons}>
          <WorkerButtons worker={worker} actions={actions} />
        </div>
      )}
      <WorkerAnswer actions={{ ...actions, told }} />
    </div>
  );
}

const executes: Sentence = (worker, how) => {
  if (how !== undefined) return how;
  return (
    <>
      <span className="mono">{worker.name?.instance}</span> has executed a request for{" "}
      {duration(Number(worker.executingNs) / 1e6)}
      {worker.name?.leaving ? ", in a state of the model before it was loaded again or unloaded." : "."}
    </>
  );
};
