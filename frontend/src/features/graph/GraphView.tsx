/** An ensemble, or a model with its calls, as a graph: its steps, the tensors between them, and where the last request's time went. */
import { Maximize, Search } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { type GetGraphResponse, GraphNode_Kind, type InferResponse } from "../../api/conch_pb";
import { clock, nanoseconds } from "../../lib/format";
import { requestTime } from "../../lib/requestTime";
import { tryOf, useTries } from "../../requests/tries";
import { Bar } from "../../ui/Bar";
import { Button } from "../../ui/Button";
import { Centre } from "../../ui/Centre";
import { Spinner } from "../../ui/Spinner";
import { graphKeys, isPress, keys, readable } from "../../window/keys";
import { ErrorBox } from "../../workspace/ErrorBox";
import { FindBar } from "./FindBar";
import type { Canvas } from "./GraphCanvas";
import css from "./graph.module.css";
import { NoSteps } from "./NoSteps";
import { Spoken } from "./Spoken";
import { openDetail } from "./selection";
import { isModel } from "./sizes";
import { TimeWent } from "./TimeWent";
import { Troubles } from "./Troubles";
import { useMarked } from "./useMarked";

/** A quarter of the program's size draws graphs: it is read when the first one is looked at. */
const GraphCanvas = lazy(() => import("./GraphCanvas").then((module) => ({ default: module.GraphCanvas })));

type ViewProps = {
  readonly model: string;
  /** As for TimeWent. */
  readonly onProfile?: ((step: string) => void) | undefined;
};

export function GraphView({ model, onProfile }: ViewProps) {
  const { graph, error, refetch, unsaved } = useMarked(model);
  if (error && !graph) {
    return (
      <Centre>
        <ErrorBox
          title={`The graph of ${model} could not be drawn`}
          names={[model]}
          error={error}
          onRetry={() => void refetch()}
        />
      </Centre>
    );
  }
  if (!graph) {
    return (
      <Centre>
        <Spinner label="Reading the graph" />
      </Centre>
    );
  }
  return <Graph key={model} model={model} graph={graph} unsaved={unsaved} onProfile={onProfile} />;
}

interface GraphProps extends ViewProps {
  readonly graph: GetGraphResponse;
  readonly unsaved: boolean;
}

const nothing: ReadonlySet<string> = new Set();

function Graph({ model, graph, unsaved, onProfile }: GraphProps) {
  const [canvas, setCanvas] = useState<Canvas>();
  const [finding, setFinding] = useState(false);
  const [found, setFound] = useState(nothing);
  useFindKey(() => setFinding(true));
  const go = (id: string) => {
    openDetail(model, id);
    canvas?.reveal(id);
  };
  if (!graph.nodes.some(isModel)) return <NoSteps model={model} />;
  return (
    <section className={css.view} aria-label={`Graph of ${model}`}>
      <Bar actions={<LastRequest model={model} />}>
        <Button
          small
          look="ghost"
          icon={<Maximize />}
          title={`Show all of the graph (${readable(graphKeys.fit)} in it)`}
          onClick={() => canvas?.fit()}
        >
          Fit
        </Button>
        <Button
          small
          look="ghost"
          title={`Show ports and types as large as other text (${readable(graphKeys.natural)} in the graph)`}
          onClick={() => canvas?.natural()}
        >
          100 %
        </Button>
        <Button
          small
          look="ghost"
          icon={<Search />}
          title={readable(keys.search)}
          onClick={() => setFinding(true)}
        >
          Find
        </Button>
        <CallsNote graph={graph} />
        {unsaved && <span className="dim">Drawn from the unsaved text</span>}
      </Bar>
      <Troubles graph={graph} onSelect={go} />
      <div className={css.stage}>
        <Suspense fallback={<div className={css.canvas} />}>
          <GraphCanvas model={model} graph={graph} found={found} onReady={setCanvas} />
        </Suspense>
        {finding && (
          <FindBar
            model={model}
            graph={graph}
            onFound={setFound}
            onReveal={(id) => canvas?.reveal(id)}
            onClose={() => setFinding(false)}
          />
        )}
      </div>
      <Spoken model={model} graph={graph} />
      <TimeWent model={model} onProfile={onProfile} />
    </section>
  );
}

/** Looks in what is shown, unless a field or a dialog has its own search. */
function useFindKey(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { defaultPrevented, target } = event;
      if (defaultPrevented || !isPress(event, keys.search)) return;
      if (target instanceof Element && target.closest(".cm-editor, [role=dialog]")) return;
      event.preventDefault();
      open();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
}

/** What the drawing does not show of the calls. */
function CallsNote({ graph }: { readonly graph: GetGraphResponse }) {
  if (graph.otherCalls > 0n)
    return (
      <span className="dim">
        {graph.otherCalls.toLocaleString("en-US")} calls of more models are not drawn
      </span>
    );
  const alone = graph.edges.length === 0 && graph.nodes[0]?.kind === GraphNode_Kind.MODEL;
  return alone && <span className="dim">It has called no other model since it was loaded</span>;
}

function LastRequest({ model }: { readonly model: string }) {
  const answer = useTries((state) => tryOf(model)(state).answer);
  if (!answer?.response) return null; // nothing was sent, or nobody knows how it ended
  return (
    <span className="dim" title="The last request: when it was answered, and how">
      last {clock(answer.at)} · {howItEnded(answer.response)}
    </span>
  );
}

function howItEnded(response: InferResponse): string {
  if (response.stopped) return "stopped";
  return response.ok ? nanoseconds(requestTime(response)?.totalNs ?? 0) : "failed";
}
