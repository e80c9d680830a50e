/** Mounts the feeds of what is on screen: two views of one model share one, and a page that is not seen asks nothing. */
import { useEffect, useSyncExternalStore } from "react";
import type { View } from "../lib/range";
import { createFeed, type Feed, type FeedState } from "./feed";
import { whileSeen } from "./pageWatch";

type Entry = { readonly feed: Feed; users: number; end?: () => void };

const feeds = new Map<string, Entry>();

function acquire(model: string, view: View): Feed {
  const known = feeds.get(model);
  if (known) return known.feed;
  const feed = createFeed({ model, view });
  feeds.set(model, { feed, users: 0 });
  return feed;
}

/** The metrics of a model ("" for the repository) while the component is on screen. */
export function useMetrics(model: string, view: View): FeedState {
  const feed = acquire(model, view);
  useEffect(() => feed.setView(view), [feed, view]);
  useEffect(() => retain(model, feed), [model, feed]);
  return useSyncExternalStore(feed.subscribe, feed.getState);
}

function retain(model: string, feed: Feed): () => void {
  const entry: Entry = feeds.get(model) ?? { feed, users: 0 };
  feeds.set(model, entry);
  if (entry.users++ === 0) entry.end = whileSeen(feed);
  return () => {
    if (--entry.users > 0) return;
    entry.end?.();
    feeds.delete(model);
  };
}
