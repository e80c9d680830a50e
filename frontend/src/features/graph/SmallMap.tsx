/** The whole graph in a strip under the drawing, while a part of it is out of sight. A press goes there. */
import { useReactFlow, useStore } from "@xyflow/react";
import { type PointerEvent, useMemo } from "react";
import css from "./graph.module.css";
import type { Layout } from "./layout";
import type { Size } from "./sizes";
import { pathOf, scaleOf, sightOf, viewAt } from "./smallMap";
import { mapHeight, showsAll } from "./viewport";

type Props = { readonly layout: Layout; readonly room: Size; readonly onMove: () => void };

export function SmallMap({ layout, room, onMove }: Props) {
  const [x, y, zoom] = useStore((state) => state.transform);
  const { setViewport } = useReactFlow();
  const strip = { width: room.width, height: mapHeight };
  const scale = useMemo(
    () => scaleOf(layout, { width: room.width, height: mapHeight }),
    [layout, room.width],
  );
  const [sound, broken] = useMemo(() => {
    const isBroken = ({ node }: Layout["nodes"][number]) => node.problem !== "";
    return [
      pathOf(
        layout.nodes.filter((node) => !isBroken(node)),
        scale,
      ),
      pathOf(layout.nodes.filter(isBroken), scale),
    ];
  }, [layout, scale]);
  const view = { x, y, zoom };
  if (showsAll(layout, view, room)) return null;
  const drawing = { width: room.width, height: room.height - mapHeight };
  const go = (event: PointerEvent<SVGSVGElement>) => {
    if (event.buttons !== 1) return;
    const box = event.currentTarget.getBoundingClientRect();
    event.currentTarget.setPointerCapture?.(event.pointerId);
    onMove();
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    void setViewport(viewAt(at, view, drawing, scale));
  };
  return (
    <svg
      className={css.map}
      height={mapHeight}
      role="img"
      aria-label="Small map of the graph"
      onPointerDown={go}
      onPointerMove={go}
    >
      <path className={css.mapNodes} d={sound} />
      <path className={css.mapBroken} d={broken} />
      <rect className={css.mapSight} rx={3} {...sightOf(view, drawing, scale, strip)} />
    </svg>
  );
}
