import { useLayoutEffect, useMemo, useRef, useState } from "react";
import type { GetGraphResponse } from "../../api/conch_pb";
import type { Places } from "./layered";
import { beforeOf, type Layout, layoutOf, planOf, whole } from "./layout";
import { placesOf } from "./places";

/** The layout of a graph; while a changed graph is laid out, the one before. */
export function useLayout(graph: GetGraphResponse): Layout | undefined {
  const [layout, setLayout] = useState<Layout>();
  const last = useRef<Layout>(undefined);
  const full = useMemo(() => whole(graph), [graph]);
  useLayoutEffect(() => {
    let over = false;
    const put = (places: Places) => {
      if (over) return;
      last.current = layoutOf(full, places, last.current);
      setLayout(last.current);
    };
    const places = placesOf(planOf(full, beforeOf(last.current)));
    if (places instanceof Promise) void places.then(put);
    else put(places);
    return () => {
      over = true;
    };
  }, [full]);
  return layout;
}
