/** Mounts the feeds of what is on screen: two views of one model share one, and a page that is not seen asks nothing. */
import { useEffect, useSyncExternalStore } from "react";
import type { View } from "../lib/range";
import { createFeed, type Feed, type FeedState } from "./feed";

const feeds = new Map<string, { readonly feed: Feed; users: number }>();

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
  useEffect(() => retain(model, feed), [model, feed]);
  useEffect(() => feed.setView(view), [feed, view]);
  return useSyncExternalStore(feed.subscribe, feed.getState);
}

function retain(model: string, feed: Feed): () => void {
  const entry = feeds.get(model) ?? { feed, users: 0 };
  feeds.set(model, entry);
  if (entry.users++ === 0) watchPage(feed);
  return () => {
    if (--entry.users > 0) return;
    feed.stop();
    watched.delete(feed);
    feeds.delete(model);
  };
}

const watched = new Set<Feed>();

function watchPage(feed: Feed): void {
  watched.add(feed);
  if (!document.hidden) feed.start();
}

document.addEventListener("visibilitychange", () => {
  for (const feed of watched) {
    if (document.hidden) feed.stop();
    else feed.start();
  }
});
