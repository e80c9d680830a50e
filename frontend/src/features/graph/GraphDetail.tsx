/** What is selected in the graph: a tensor with both its ends, or a step with its ports. */
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import {
  type Calls,
  type GetGraphResponse,
  type GraphEdge,
  type GraphNode,
  GraphNode_Kind,
  type TensorSpec,
} from "../../api/conch_pb";
import { tracedQuery } from "../../api/queries";
import { middle, typeAndShape } from "../../lib/format";
import { patchTry, tryOf, useTries } from "../../requests/tries";
import { Button } from "../../ui/Button";
import { Named } from "../../ui/Named";
import { TensorView } from "../../ui/tensor/TensorView";
import { useEscape } from "../../ui/useEscape";
import { Words } from "../../ui/Words";
import { goToModel, revealInConfig } from "../../window/place";
import { Fixes } from "../../workspace/Fixes";
import { ProblemText } from "../../workspace/ProblemText";
import { repair } from "../../workspace/repair";
import { asSentence, useModelSummary } from "../../workspace/workspace";
import { agreement, endNames } from "./agreement";
import { callsPhrase, lastCall } from "./calls";
import { failedStep } from "./failedStep";
import { tensorOf } from "./flow";
import { foundAt } from "./foundAt";
import css from "./graph.module.css";
import { closeDetail, openDetail, useSelection } from "./selection";
import { tracedOn } from "./traced";
import { useGivesWay } from "./useGivesWay";
import { useMarked } from "./useMarked";
import { useProblems } from "./useProblems";

/** Lies over the pane at the right while a part of the graph is open; the drawing keeps its room. */
export function GraphDetail({ model }: { readonly model: string }) {
  const { graph } = useMarked(model);
  const { id, open } = useSelection(model);
  const known = graph && [...graph.nodes, ...graph.edges].some((part) => part.id === id);
  return open && known ? <Detail model={model} graph={graph} selected={id} /> : null;
}

type Props = {
  readonly model: string;
  readonly graph: GetGraphResponse;
  readonly selected: string;
};

function Detail({ model, graph, selected }: Props) {
  const edge = graph.edges.find(({ id }) => id === selected);
  const node = graph.nodes.find(({ id }) => id === selected);
  const title = edge?.calls ? "Calls" : (edge?.tensor ?? node?.label ?? "");
  const inConfig = edge ? !edge.calls : node && !isCaller(node);
  const type = edge ? !edge.calls && typeAndShape(edge.datatype, edge.shape) : node?.modelKind;
  const offset = edge?.offset ?? node?.offset ?? 0;
  const close = () => closeDetail(model);
  useEscape(close);
  useGivesWay(model);
  return (
    <section className={css.detail} aria-label={`Details of ${title}`}>
      <header className={css.detailHead}>
        <strong title={title}>{middle(title, 40)}</strong>
        <span className={css.mono}>{type}</span>
        {inConfig && <ShowInConfig model={model} offset={offset} />}
        <Button small look="ghost" icon={<X />} aria-label="Close the details" onClick={close} />
      </header>
      {edge?.calls && <CallsDetail model={model} graph={graph} edge={edge} calls={edge.calls} />}
      {edge && !edge.calls && <EdgeDetail model={model} graph={graph} edge={edge} />}
      {node && <NodeDetail model={model} graph={graph} node={node} />}
    </section>
  );
}

/** Calls are in no config, and neither is what they join. */
const isCaller = ({ kind }: GraphNode): boolean =>
  kind === GraphNode_Kind.MODEL || kind === GraphNode_Kind.CALLED;

function ShowInConfig({ model, offset }: { readonly model: string; readonly offset: number }) {
  const path = useModelSummary(model)?.configPath;
  if (!path) return null;
  return (
    <button
      type="button"
      className={css.link}
      onClick={() => revealInConfig(model, { path, from: offset, to: offset })}
    >
      Show in {path}
    </button>
  );
}

type EdgeProps = {
  readonly model: string;
  readonly graph: GetGraphResponse;
  readonly edge: GraphEdge;
};

function EdgeDetail({ model, graph, edge }: EdgeProps) {
  const { from, to } = endNames(graph.nodes, edge);
  const output = useTries((state) =>
    tryOf(model)(state).answer?.response?.outputs.find(({ name }) => name === edge.tensor),
  );
  const leaves = edge.target.startsWith("output:");
  const { title, text, names } = agreement(graph.nodes, edge);
  return (
    <>
      <p className={css.route}>
        From <Part model={model} id={edge.source} text={from} /> as <code>{edge.sourcePort}</code> to{" "}
        <Part model={model} id={edge.target} text={to} /> as <code>{edge.targetPort}</code>
      </p>
      <AlsoTo model={model} graph={graph} edge={edge} />
      <div className={edge.problem ? css.verdictBroken : css.verdict}>
        <strong>{title}</strong>
        <p>
          <Words text={text} names={names} />
        </p>
        <FixesOf model={model} problem={edge.problem} offset={edge.offset} />
      </div>
      {leaves && output && <TensorView tensor={output} />}
      {!leaves && !edge.problem && <Between model={model} edge={edge} />}
    </>
  );
}

/** Where else the tensor goes: its label stands for all of its edges. */
function AlsoTo({ model, graph, edge }: EdgeProps) {
  const others = graph.edges.filter(
    (other) => other.id !== edge.id && other.tensor === edge.tensor && tensorOf(other) === tensorOf(edge),
  );
  if (others.length === 0) return null;
  return (
    <p className={css.route}>
      Also to{" "}
      {others.map((other, i) => (
        <span key={other.id}>
          {i > 0 && ", "}
          <Part model={model} id={other.id} text={endNames(graph.nodes, other).to} /> as{" "}
          <code>{other.targetPort}</code>
        </span>
      ))}
    </p>
  );
}

/** How often one model called another, and how the newest failed call ended. */
function CallsDetail({ model, graph, edge, calls }: EdgeProps & { readonly calls: Calls }) {
  const name = (id: string) => graph.nodes.find((node) => node.id === id)?.label ?? id;
  return (
    <>
      <p className={css.route}>
        <Part model={model} id={edge.source} text={name(edge.source)} /> calls{" "}
        <Part model={model} id={edge.target} text={name(edge.target)} />
      </p>
      <p>
        {callsPhrase(calls)} since <code>{name(edge.source)}</code> was loaded, {lastCall(calls)}
      </p>
      {calls.error && (
        <div className={css.verdictBroken}>
          <strong>The newest call that failed</strong>
          <p>
            <ProblemText text={asSentence(calls.error)} />
          </p>
        </div>
      )}
    </>
  );
}

type FixesProps = { readonly model: string; readonly problem: string; readonly offset: number };

/** What can be done about a problem of the drawing: the fixes that the config's problem has. */
function FixesOf({ model, problem, offset }: FixesProps) {
  const known = foundAt(useProblems(model, problem !== ""), model, { problem, offset });
  if (!known) return null;
  return (
    <div className={css.fixes}>
      <Fixes fixes={known.found.fixes} onFix={(fix) => void repair(known.file, known.found, fix)} />
    </div>
  );
}

/** What went over an edge with the last request, when the engine was asked to keep it. */
function Between({ model, edge }: { readonly model: string; readonly edge: GraphEdge }) {
  const keep = useTries((state) => tryOf(model)(state).keepTensors);
  const traceId = useTries((state) => tryOf(model)(state).answer?.response?.traceId ?? 0n);
  const { data } = useQuery({ ...tracedQuery(traceId), enabled: traceId > 0n });
  const traced = data && tracedOn(data.tensors, edge);
  if (traced?.tensor) return <TensorView tensor={traced.tensor} />;
  if (keep) return <p className="dim">Its values are shown with the next request.</p>;
  return (
    <button type="button" className={css.link} onClick={() => patchTry(model, { keepTensors: true })}>
      Show its values with the next request
    </button>
  );
}

type PartProps = { readonly model: string; readonly id: string; readonly text: string };

/** A part of the graph by name; choosing it shows its detail. */
function Part({ model, id, text }: PartProps) {
  return (
    <button type="button" className={css.part} title={text} onClick={() => openDetail(model, id)}>
      {middle(text, 40)}
    </button>
  );
}

type NodeProps = {
  readonly model: string;
  readonly graph: GetGraphResponse;
  readonly node: GraphNode;
};

function NodeDetail({ model, graph, node }: NodeProps) {
  const edgeOf = (port: string, side: "source" | "target") =>
    graph.edges.find((edge) => edge[side] === node.id && edge[`${side}Port`] === port)?.id;
  return (
    <>
      {node.problem && (
        <div className={css.verdictBroken}>
          <ProblemText text={asSentence(node.problem)} />
          <FixesOf model={model} problem={node.problem} offset={node.offset} />
        </div>
      )}
      <FailedHere model={model} id={node.id} />
      <dl className={css.ports}>
        {node.inputs.map((port) => (
          <PortRow
            key={`in ${port.name}`}
            word="takes"
            port={port}
            model={model}
            edge={edgeOf(port.name, "target")}
          />
        ))}
        {node.outputs.map((port) => (
          <PortRow
            key={`out ${port.name}`}
            word="gives"
            port={port}
            model={model}
            edge={edgeOf(port.name, "source")}
          />
        ))}
      </dl>
      {node.model && !node.problem && (
        <button type="button" className={css.link} onClick={() => goToModel(node.model, "try")}>
          <Named text={`Open ${node.model}`} names={[node.model]} />
        </button>
      )}
    </>
  );
}

/** Why the last request failed in this step. */
function FailedHere({ model, id }: { readonly model: string; readonly id: string }) {
  const failed = failedStep(useTries((state) => tryOf(model)(state).answer?.response));
  if (!failed || id !== `step:${failed.step.step}`) return null;
  return (
    <div className={css.verdictBroken}>
      <strong>The last request failed here</strong>
      <p>
        <ProblemText text={asSentence(failed.error)} />
      </p>
    </div>
  );
}

type PortProps = {
  readonly model: string;
  readonly word: string;
  readonly port: TensorSpec;
  readonly edge: string | undefined;
};

function PortRow({ model, word, port, edge }: PortProps) {
  return (
    <>
      <dt>{word}</dt>
      <dd>
        {edge ? (
          <Part model={model} id={edge} text={port.name} />
        ) : (
          <span title={port.name}>{middle(port.name, 40)}</span>
        )}{" "}
        <span className={css.mono}>{typeAndShape(port.datatype, port.shape)}</span>
      </dd>
    </>
  );
}
