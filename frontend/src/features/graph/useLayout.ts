import { useLayoutEffect, useMemo, useRef, useState } from "react";
import type { GetGraphResponse } from "../../api/conch_pb";
import { fitsStraight } from "./fold";
import type { Places } from "./layered";
import { beforeOf, type Layout, layoutOf, planOf, whole } from "./layout";
import { placesOf } from "./places";

/** The layout of a graph in a drawing of a width; while a changed graph is laid out, the one before. */
export function useLayout(graph: GetGraphResponse, width: number | undefined): Layout | undefined {
  const [layout, setLayout] = useState<Layout>();
  const last = useRef<Layout>(undefined);
  const full = useMemo(() => whole(graph), [graph]);
  const straight = width === undefined ? undefined : fitsStraight(full, width);
  useLayoutEffect(() => {
    if (straight === undefined) return;
    let over = false;
    const put = (places: Places) => {
      if (over) return;
      last.current = layoutOf(full, places, last.current, straight);
      setLayout(last.current);
    };
    const places = placesOf(planOf(full, beforeOf(last.current), straight));
    if (places instanceof Promise) void places.then(put);
    else put(places);
    return () => {
      over = true;
    };
  }, [full, straight]);
  return layout;
}
