import { useMemo } from "react";
import { markBroken } from "./broken";
import { useGraph } from "./useGraph";

/** The graph of an ensemble with every edge marked that cannot carry its tensor. */
export function useMarked(model: string) {
  const { data, ...query } = useGraph(model);
  const graph = useMemo(() => data && markBroken(data), [data]);
  return { ...query, graph };
}
