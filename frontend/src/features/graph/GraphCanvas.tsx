/** The drawing surface: pans, zooms, selects; xyflow does the work. */
import {
  Background,
  BackgroundVariant,
  ReactFlow,
  type ReactFlowInstance,
  ReactFlowProvider,
  useStore,
} from "@xyflow/react";
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { GetGraphResponse } from "../../api/conch_pb";
import "@xyflow/react/dist/base.css";
import { cx } from "../../lib/cx";
import { tryOf, useTries } from "../../requests/tries";
import { graphKeys, isPress } from "../../window/keys";
import { failedStep } from "./failedStep";
import { type FlowEdge, type FlowNode, stepTimes, toEdges, toNodes } from "./flow";
import css from "./graph.module.css";
import type { Layout } from "./layout";
import { Grows } from "./Name";
import { SmallMap } from "./SmallMap";
import { StepNode } from "./StepNode";
import { closeDetail, openDetail, select, useSelection } from "./selection";
import type { Size } from "./sizes";
import { readWhole, smallLayouts, turned, turnedArrow } from "./small";
import { TensorEdge } from "./TensorEdge";
import { TensorNode } from "./TensorNode";
import { useLayout } from "./useLayout";
import {
  drawingOf,
  growth,
  isInSight,
  leastZoom,
  mapHeight,
  naturalView,
  nudged,
  openingView,
  placeOf,
  showsAll,
  thickness,
  type View,
  viewOn,
  wholeView,
} from "./viewport";
import { isArrow, stepTo } from "./walk";

export type Canvas = { fit(): void; natural(): void; reveal(id: string): void };

const nodeTypes = { step: StepNode, tensor: TensorNode };
const edgeTypes = { tensor: TensorEdge };

/** Which drawing is shown: the one that can be read as a whole, or one that stays. */
type Held = "read" | "usual" | NonNullable<Layout["down"]>;

type Props = {
  readonly model: string;
  readonly graph: GetGraphResponse;
  readonly found: ReadonlySet<string>;
  readonly onReady: (canvas: Canvas) => void;
};

export function GraphCanvas(props: Props) {
  const host = useRef<HTMLDivElement>(null);
  const room = useSize(host);
  const usual = useLayout(props.graph);
  const small = useMemo(() => smallLayouts(props.graph), [props.graph]);
  return (
    <div ref={host} className={css.canvas}>
      {usual && room && (
        <ReactFlowProvider>
          <Drawing {...props} usual={usual} small={small} room={room} />
        </ReactFlowProvider>
      )}
    </div>
  );
}

type DrawingProps = Props & {
  readonly usual: Layout;
  readonly small: readonly Layout[]; // others of the same graph, for a pane in which that cannot be read as a whole
  readonly room: Size;
};

function Drawing({ model, usual, small, room, found, onReady }: DrawingProps) {
  const read = readWhole([usual, ...small], room);
  const [held, setHeld] = useState<Held>("read");
  const layout = [usual, ...small].find(({ down = "usual" }) => down === held) ?? read;
  const { id: selected } = useSelection(model);
  const response = useTries((state) => tryOf(model)(state).answer?.response);
  const times = useMemo(() => stepTimes(response), [response]);
  const failed = useMemo(() => {
    const of = failedStep(response);
    return of && { id: `step:${of.step.step}`, error: of.error };
  }, [response]);
  const nodes = useMemo(
    () => toNodes(layout, times, { selected, found, failed }),
    [layout, times, selected, found, failed],
  );
  const edges = useMemo(() => toEdges(layout, { selected, found }), [layout, selected, found]);
  const flow = useRef<ReactFlowInstance<FlowNode, FlowEdge>>(null);
  const [opening] = useState(() => openingView(layout, room));
  const latest = useRef({ layout, usual, read, room });
  latest.current = { layout, usual, read, room };
  const kept = useRef<((layout: Layout, room: Size) => View) | undefined>(openingView);
  const show = (view: View) => void flow.current?.setViewport(view);
  const before = useRef(room);
  // Until somebody moves it, the drawing stays what it was in the room that there is: its readable beginning, or all of it.
  // What is chosen and was in sight stays so, whatever the room.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another room is what asks for another view, or another small drawing
  useEffect(() => {
    const view = flow.current?.getViewport();
    const place = placeOf(layout, selected);
    const seen = view && place && isInSight(place, view, before.current);
    before.current = room;
    const next = kept.current?.(layout, room) ?? view;
    if (next) show(seen ? nudged(place, next, drawingOf(layout, next, room)) : next);
  }, [room, layout.down && layout]);
  const stay = () => {
    kept.current = undefined;
    setHeld(latest.current.layout.down ?? "usual");
  };
  const reveal = (id: string) => {
    const place = placeOf(latest.current.layout, id);
    const view = flow.current?.getViewport();
    if (!place || !view) return;
    const { width, height } = latest.current.room;
    const next = viewOn(place, view, { width, height: height - mapHeight });
    if (next !== view || (kept.current === openingView && !latest.current.layout.down)) stay();
    show(next);
  };
  const choose = (id: string) => {
    const view = flow.current?.getViewport();
    const all = view !== undefined && showsAll(latest.current.layout, view, latest.current.room);
    if (kept.current === openingView && !all) stay(); // what was pressed stays where it is
    select(model, id, true);
  };
  const keep = (view: typeof wholeView, drawing: "read" | "usual") => () => {
    kept.current = view;
    setHeld(drawing);
    show(view(latest.current[drawing], latest.current.room));
  };
  const [showAll, showNatural] = [keep(wholeView, "read"), keep(naturalView, "usual")];
  const onKeyDown = (event: KeyboardEvent) => {
    if (isPress(event, graphKeys.walk) && isArrow(event.key)) {
      const next = layout.down
        ? stepTo(turned(layout), selected, turnedArrow[event.key])
        : stepTo(layout, selected, event.key);
      select(model, next);
      reveal(next);
    } else if (isPress(event, graphKeys.detail)) openDetail(model);
    else if (isPress(event, graphKeys.fit)) showAll();
    else if (isPress(event, graphKeys.natural)) showNatural();
    else return;
    event.preventDefault();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a drawing that is walked with the arrow keys */}
      <div className={css.drawing} onKeyDown={onKeyDown}>
        <Distance down={layout.down}>
          <ReactFlow
            tabIndex={0}
            aria-label="Graph. Arrow keys move along the edges, Enter opens the detail, Escape closes it"
            nodes={nodes}
            edges={edges}
            nodeTypes={nodeTypes}
            edgeTypes={edgeTypes}
            defaultViewport={opening}
            minZoom={leastZoom}
            maxZoom={2}
            onlyRenderVisibleElements
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            disableKeyboardA11y
            deleteKeyCode={null}
            proOptions={{ hideAttribution: true }}
            onInit={(instance) => {
              flow.current = instance;
              onReady({ fit: showAll, natural: showNatural, reveal });
            }}
            onMove={(event) => {
              if (event) stay(); // a person's move: the program's own have no event
            }}
            onNodeClick={(_, node) => choose(node.id)}
            onEdgeClick={(_, edge) => choose(edge.id)}
            onPaneClick={() => closeDetail(model)}
          >
            <Background variant={BackgroundVariant.Dots} gap={16} size={1.6} color="var(--border)" />
          </ReactFlow>
        </Distance>
      </div>
      <SmallMap layout={layout} room={room} onMove={stay} />
    </>
  );
}

type DistanceProps = { readonly down: Layout["down"]; readonly children: ReactNode };

/** From far, steps show their names only, larger, and lines are thicker. What runs down stays as it is. */
function Distance({ down, children }: DistanceProps) {
  const grows = useStore(({ transform: [, , zoom] }) => (down ? 1 : growth(zoom)));
  const thick = useStore(({ transform: [, , zoom] }) => thickness(zoom));
  return (
    <Grows value={grows}>
      <div
        className={cx(css.distance, grows > 1 && css.far, down && css.down, down === "bare" && css.bare)}
        style={{ "--thick": thick } as CSSProperties}
      >
        {children}
      </div>
    </Grows>
  );
}

/** The size of an element, once it is known. */
function useSize(host: React.RefObject<HTMLDivElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    if (!host.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setSize(entry.contentRect));
    observer.observe(host.current);
    setSize(host.current.getBoundingClientRect());
    return () => observer.disconnect();
  }, [host]);
  return size;
}
