import { Cpu } from "lucide-react";
import { type ListWorkersResponse, ModelState, type Worker } from "../../api/conch_pb";
import { bytes, duration, moment, significant } from "../../lib/format";
import { Centre } from "../../ui/Centre";
import { Chip } from "../../ui/Chip";
import { Empty } from "../../ui/Empty";
import { Spinner } from "../../ui/Spinner";
import { ErrorBox } from "../../workspace/ErrorBox";
import { TrustButton, UNTRUSTED } from "../../workspace/TrustButton";
import { useWorkerActions, WorkerAnswer, WorkerButtons } from "../../workspace/WorkerActions";
import { cpuPercent, keyOf, useBefore, useWorkers } from "../../workspace/workers";
import { selectReach, useModelSummary, useWorkspace } from "../../workspace/workspace";
import { Debugger } from "./Debugger";
import css from "./debug.module.css";
import { ProfileView } from "./ProfileView";

/** What a process does now. */
function Doing({ worker }: { worker: Worker }) {
  if (worker.pid === 0) return <Chip tone="err">Does not run</Chip>;
  if (worker.executingNs === 0n) return <Chip>Idle</Chip>;
  return <Chip tone="accent">Executes for {duration(Number(worker.executingNs) / 1e6)}</Chip>;
}

const facts = (worker: Worker, cpu: number | undefined): [string, string][] => [
  ["Process", worker.pid === 0 ? "–" : String(worker.pid)],
  ["Memory", worker.memoryBytes === 0n ? "–" : bytes(worker.memoryBytes)],
  ["Processor", cpu === undefined ? "–" : `${significant(cpu, 1)} %`],
  ["Since", worker.started === 0n ? "–" : moment(worker.started)],
  ["Restarts", String(worker.restarts)],
];

type ProcessProps = { worker: Worker; cpu: number | undefined; versions: boolean };

function Process({ worker, cpu, versions }: ProcessProps) {
  const actions = useWorkerActions(worker);
  return (
    <li className={css.process}>
      <div className={css.head}>
        <b className="mono">{worker.name?.instance}</b>
        {versions && <Chip>Version {String(worker.name?.version)}</Chip>}
        {worker.name?.leaving ? (
          <Chip title="The model was loaded again or unloaded. This process ends when its requests are answered.">
            Ends
          </Chip>
        ) : null}
        <Doing worker={worker} />
        <span className={css.spacer} />
        <WorkerButtons worker={worker} actions={actions} />
      </div>
      <dl className={css.facts}>
        {facts(worker, cpu).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {worker.trouble && <p className={css.trouble}>{worker.trouble}</p>}
      <WorkerAnswer actions={actions} />
      <Debugger worker={worker} />
    </li>
  );
}

function Processes({ data }: { data: ListWorkersResponse }) {
  const before = useBefore(data);
  // Instances of two versions have the same names. One version alone is told where it is not the first.
  const versions = data.workers.some(({ name }) => Number(name?.version) > 1);
  return (
    <ul className={css.list} aria-label="Processes">
      {data.workers.map((worker) => (
        <Process
          key={keyOf(worker)}
          worker={worker}
          versions={versions}
          cpu={cpuPercent(before, data, worker)}
        />
      ))}
    </ul>
  );
}

/** The processes in which a model's instances run: what they use, where they are. */
export function DebugView({ model }: { model: string }) {
  const { data, error, refetch } = useWorkers(model);
  const outage = useWorkspace((state) => selectReach(state).engine);
  const untrusted = useModelSummary(model)?.state === ModelState.UNTRUSTED;
  if (outage && !data) {
    return (
      <Centre>
        <Empty icon={<Cpu />} title={outage}>
          The processes of the model are shown here once it answers.
        </Empty>
      </Centre>
    );
  }
  if (error && !data) {
    return (
      <div className={css.page}>
        <ErrorBox title="The processes could not be read" error={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  if (!data) {
    return (
      <Centre>
        <Spinner label="Reading the processes" />
      </Centre>
    );
  }
  if (data.workers.length === 0 && untrusted) {
    return (
      <Empty icon={<Cpu />} title="No process runs">
        {UNTRUSTED}
        <p>
          <TrustButton />
        </p>
      </Empty>
    );
  }
  if (data.workers.length === 0) {
    return (
      <Empty icon={<Cpu />} title="No process runs">
        Each instance of a Python model is a process of its own. Load the model to see its processes here.
      </Empty>
    );
  }
  return (
    <section className={css.page} aria-label="Debug">
      <ProfileView model={model} />
      <Processes data={data} />
    </section>
  );
}
