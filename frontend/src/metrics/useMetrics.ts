/**
 * Mounts the feeds of what is on screen: two views of one model share one, and a page that is not seen asks nothing. Each repository and
 * each server has feeds of its own, so that figures of one are never drawn as those of another.
 */
import { useEffect, useSyncExternalStore } from "react";
import type { View } from "../lib/range";
import { selectShown, useWorkspace } from "../workspace/workspace";
import { createFeed, type Feed, type FeedState } from "./feed";
import { whileSeen } from "./pageWatch";

type Entry = { readonly feed: Feed; users: number; end?: () => void };

const feeds = new Map<string, Entry>();

function acquire(key: string, model: string, view: View): Feed {
  const known = feeds.get(key);
  if (known) return known.feed;
  const feed = createFeed({ model, view });
  feeds.set(key, { feed, users: 0 });
  return feed;
}

/** The metrics of a model ("" for the repository) while the component is on screen. */
export function useMetrics(model: string, view: View): FeedState {
  const key = `${useWorkspace(selectShown)}\n${model}`;
  const feed = acquire(key, model, view);
  useEffect(() => feed.setView(view), [feed, view]);
  useEffect(() => retain(key, feed), [key, feed]);
  return useSyncExternalStore(feed.subscribe, feed.getState);
}

function retain(key: string, feed: Feed): () => void {
  const entry: Entry = feeds.get(key) ?? { feed, users: 0 };
  feeds.set(key, entry);
  if (entry.users++ === 0) entry.end = whileSeen(feed);
  return () => {
    if (--entry.users > 0) return;
    entry.end?.();
    feeds.delete(key);
  };
}
