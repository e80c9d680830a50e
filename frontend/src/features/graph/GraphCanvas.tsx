/** The drawing surface: pans, zooms, selects; xyflow does the work. */
import { Background, BackgroundVariant, ReactFlow, type ReactFlowInstance } from "@xyflow/react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { GetEnsembleGraphResponse } from "../../api/conch_pb";
import "@xyflow/react/dist/base.css";
import { tryOf, useTries } from "../../requests/tries";
import { type FlowEdge, type FlowNode, stepTimes, toEdges, toNodes } from "./flow";
import css from "./graph.module.css";
import { arrange, choose } from "./layout";
import { StepNode } from "./StepNode";
import type { Size } from "./sizes";
import { TensorEdge } from "./TensorEdge";
import { TensorNode } from "./TensorNode";

export type Canvas = { fit(): void };

const nodeTypes = { step: StepNode, tensor: TensorNode };
const edgeTypes = { tensor: TensorEdge };
const fitting = { padding: 0.08, maxZoom: 1.15 };

type Props = {
  readonly model: string;
  readonly graph: GetEnsembleGraphResponse;
  readonly selected: string;
  readonly onSelect: (id: string) => void;
  readonly onReady: (canvas: Canvas) => void;
};

export function GraphCanvas({ model, graph, selected, onSelect, onReady }: Props) {
  const response = useTries((state) => tryOf(model)(state).answer?.response);
  const host = useRef<HTMLDivElement>(null);
  const layout = useLayout(graph, useSize(host));
  const times = useMemo(() => stepTimes(response), [response]);
  const nodes = useMemo(() => toNodes(layout, times, selected), [layout, times, selected]);
  const edges = useMemo(() => toEdges(layout, selected), [layout, selected]);
  const flow = useRef<ReactFlowInstance<FlowNode, FlowEdge>>(null);
  useFitOnResize(host, () => void flow.current?.fitView(fitting));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another layout is what asks for another fit
  useEffect(() => void flow.current?.fitView(fitting), [layout]);
  return (
    <div
      ref={host}
      className={css.canvas}
      role="application"
      aria-label="Ensemble graph; Tab moves between its parts, Enter selects, Escape ends the selection"
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        fitView
        fitViewOptions={fitting}
        minZoom={0.1}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        deleteKeyCode={null}
        proOptions={{ hideAttribution: true }}
        onInit={(instance) => {
          flow.current = instance;
          onReady({ fit: () => void instance.fitView(fitting) });
        }}
        onNodeClick={(_, node) => onSelect(node.id)}
        onEdgeClick={(_, edge) => onSelect(edge.id)}
        onPaneClick={() => onSelect("")}
        onNodesChange={(changes) => follow(changes, onSelect)}
        onEdgesChange={(changes) => follow(changes, onSelect)}
      >
        <Background variant={BackgroundVariant.Dots} gap={16} size={1.6} color="var(--border)" />
      </ReactFlow>
    </div>
  );
}

/** Enter and Space on a focused node or edge select it; xyflow reports that as a change. */
function follow(
  changes: readonly { type: string; id?: string; selected?: boolean }[],
  onSelect: (id: string) => void,
): void {
  for (const change of changes)
    if (change.type === "select" && change.selected && change.id) onSelect(change.id);
}

/** Both ways of laying it out are cheap; the one that fits the pane better is shown. */
function useLayout({ nodes, edges }: GetEnsembleGraphResponse, room: Size) {
  const right = useMemo(() => arrange(nodes, edges, "right"), [nodes, edges]);
  const down = useMemo(() => arrange(nodes, edges, "down"), [nodes, edges]);
  return choose(right, down, room);
}

/** The size of an element, once it is known. */
function useSize(host: React.RefObject<HTMLDivElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 900, height: 500 });
  useLayoutEffect(() => {
    if (!host.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setSize(entry.contentRect));
    observer.observe(host.current);
    setSize(host.current.getBoundingClientRect());
    return () => observer.disconnect();
  }, [host]);
  return size;
}

/** A pane that changes its size shows the whole graph again. */
function useFitOnResize(host: React.RefObject<HTMLDivElement | null>, fit: () => void) {
  const latest = useRef(fit);
  useEffect(() => {
    latest.current = fit;
  });
  useEffect(() => {
    if (!host.current) return;
    const observer = new ResizeObserver(() => latest.current());
    observer.observe(host.current);
    return () => observer.disconnect();
  }, [host]);
}
