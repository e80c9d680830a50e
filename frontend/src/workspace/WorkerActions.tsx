import { CircleStop, ListTree, X } from "lucide-react";
import { useState } from "react";
import { clients } from "../api/client";
import type { Worker } from "../api/conch_pb";
import { Button } from "../ui/Button";
import { CodeText } from "./CodeText";
import { ErrorBox } from "./ErrorBox";
import css from "./WorkerActions.module.css";

interface Told {
  pid?: number; // of the process that was asked: what it said is over when it ends
  stacks?: string;
  how?: string;
  failed?: { title: string; error: unknown };
}

/** What can be asked of a process, and its answer below the buttons. */
export function useWorkerActions(worker: Worker) {
  const [told, setTold] = useState<Told>({});
  const [busy, setBusy] = useState(false);
  const ask = async (title: string, act: () => Promise<Told>) => {
    setBusy(true);
    try {
      setTold({ pid: worker.pid, ...(await act()) });
    } catch (error) {
      setTold({ pid: worker.pid, failed: { title, error } });
    } finally {
      setBusy(false);
    }
  };
  const { name } = worker;
  const show = () =>
    ask(`Where ${name?.instance} is could not be found out`, async () => {
      const { text } = await clients.models.showStacks({ worker: name });
      return { stacks: text };
    });
  const interrupt = () =>
    ask(`${name?.instance} was not interrupted`, async () => {
      const { how } = await clients.models.interrupt({ worker: name });
      return { how };
    });
  const over = told?.stacks !== undefined && told.pid !== worker.pid;
  return { told: over ? {} : told, busy, show, interrupt, dismiss: () => setTold({}) };
}

export type Actions = ReturnType<typeof useWorkerActions>;

/** The buttons of a process. */
export function WorkerButtons({ worker, actions }: { worker: Worker; actions: Actions }) {
  return (
    <>
      <Button
        small
        needs="engine"
        icon={<ListTree />}
        disabled={actions.busy || worker.pid === 0}
        title="The Python stack of all threads. What runs goes on."
        onClick={() => void actions.show()}
      >
        Show where it is
      </Button>
      <Button
        small
        needs="engine"
        icon={<CircleStop />}
        disabled={actions.busy || worker.executingNs === 0n}
        title="Raises KeyboardInterrupt in execute. If the program does not react within 2 s, its process is ended and started again."
        onClick={() => void actions.interrupt()}
      >
        Interrupt
      </Button>
    </>
  );
}

/** What the process answered. */
export function WorkerAnswer({ actions: { told, dismiss } }: { actions: Actions }) {
  if (told.failed) return <ErrorBox title={told.failed.title} error={told.failed.error} />;
  if (told.how) return <p className={css.how}>{told.how}</p>;
  if (told.stacks === undefined) return null;
  return (
    <div className={css.stacks}>
      <Button
        small
        look="ghost"
        icon={<X />}
        aria-label="Hide the stack"
        className={css.hide}
        onClick={dismiss}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled text has to be reachable with the keyboard */}
      <section className={css.text} aria-label="Stack" tabIndex={0}>
        <CodeText text={told.stacks} />
      </section>
    </div>
  );
}
