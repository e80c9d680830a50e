/** An ensemble as a graph: its steps, the tensors between them, and where the last request's time went. */
import { Maximize } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import type { GetEnsembleGraphResponse } from "../../api/conch_pb";
import { clock, nanoseconds } from "../../lib/format";
import { requestTime } from "../../lib/requestTime";
import { tryOf, useTries } from "../../requests/tries";
import { Bar } from "../../ui/Bar";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { Spinner } from "../../ui/Spinner";
import { ErrorBox } from "../../workspace/ErrorBox";
import { markBroken } from "./broken";
import type { Canvas } from "./GraphCanvas";
import { GraphDetail } from "./GraphDetail";
import css from "./graph.module.css";
import { TimeWent } from "./TimeWent";
import { Troubles } from "./Troubles";
import { useGraph } from "./useGraph";

/** A quarter of the program's size draws graphs: it is read when the first one is looked at. */
const GraphCanvas = lazy(() => import("./GraphCanvas").then((module) => ({ default: module.GraphCanvas })));

export function GraphView({ model }: { readonly model: string }) {
  const { data, error, refetch, unsaved } = useGraph(model);
  if (error && !data) {
    return (
      <div className={css.centre}>
        <ErrorBox
          title={`The graph of ${model} could not be drawn`}
          error={error}
          onRetry={() => void refetch()}
        />
      </div>
    );
  }
  if (!data) {
    return (
      <div className={css.centre}>
        <Spinner label="Reading the ensemble" />
      </div>
    );
  }
  return <Graph key={model} model={model} graph={data} unsaved={unsaved} />;
}

interface GraphProps {
  readonly model: string;
  readonly graph: GetEnsembleGraphResponse;
  readonly unsaved: boolean;
}

function Graph({ model, graph, unsaved }: GraphProps) {
  const [canvas, setCanvas] = useState<Canvas>();
  const [selected, setSelected] = useState("");
  const marked = useMemo(() => markBroken(graph), [graph]);
  if (graph.nodes.length === 0) return <NoSteps />;
  return (
    <section className={css.view} aria-label={`Graph of ${model}`}>
      <Bar actions={<LastRequest model={model} />}>
        <Button small look="ghost" icon={<Maximize />} onClick={() => canvas?.fit()}>
          Fit
        </Button>
        {unsaved && <span className="dim">Drawn from the unsaved text</span>}
      </Bar>
      <Troubles graph={graph} onSelect={setSelected} />
      <Suspense fallback={<div className={css.canvas} />}>
        <GraphCanvas
          model={model}
          graph={marked}
          selected={selected}
          onSelect={setSelected}
          onReady={setCanvas}
        />
      </Suspense>
      {selected === "" ? (
        <TimeWent model={model} steps={graph.nodes.filter((node) => node.id.startsWith("step:")).length} />
      ) : (
        <GraphDetail model={model} graph={marked} selected={selected} onClose={() => setSelected("")} />
      )}
    </section>
  );
}

function NoSteps() {
  return (
    <div className={css.centre}>
      <Empty title="No steps yet">
        An ensemble is drawn from the steps in its config. Add an ensemble_scheduling block with a step for
        each model, and they appear here.
      </Empty>
    </div>
  );
}

function LastRequest({ model }: { readonly model: string }) {
  const answer = useTries((state) => tryOf(model)(state).answer);
  if (!answer) return null;
  const took = answer.response?.ok ? nanoseconds(requestTime(answer.response)?.totalNs ?? 0) : "failed";
  return (
    <span className="dim">
      last request {clock(answer.at)} · {took}
    </span>
  );
}
