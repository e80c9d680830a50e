/** What models did in a range as a whole, while a component is on screen. */
import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { MetricSummary } from "../api/conch_pb";
import type { View } from "../lib/range";
import { selectShown, useWorkspace } from "../workspace/workspace";
import { whileSeen } from "./pageWatch";
import { createSummaryFeed } from "./summaryFeed";

export type SummaryOf = ReadonlyMap<string, MetricSummary>;

type Options = { readonly points?: number; readonly removed?: boolean };

/** The summaries of some models, or of all that had requests. "" is the repository. */
export function useSummaries(
  models: readonly string[] | "all",
  view: View,
  { points = 0, removed = false }: Options = {},
): SummaryOf {
  const shown = useWorkspace(selectShown);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one feed for each repository and server that is shown; setView follows the view
  const feed = useMemo(() => createSummaryFeed({ view, points, removed }), [points, removed, shown]);
  const key = models === "all" ? models : models.join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the models
  useEffect(() => feed.want(models), [feed, key]);
  useEffect(() => feed.setView(view), [feed, view]);
  useEffect(() => whileSeen(feed), [feed]);
  return useSyncExternalStore(feed.subscribe, feed.getState).summaries;
}
