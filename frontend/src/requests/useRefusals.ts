/** The requests that the ports refused, as they come. */
import { useEffect, useState } from "react";
import { clients } from "../api/client";
import { createWatcher } from "../api/watcher";
import { type Refusals, take } from "./refusals";

export interface Followed {
  /** What was known last; undefined until the engine has answered. */
  readonly known: Refusals | undefined;
  /** Why nothing new comes. */
  readonly error: unknown;
}

/** A server elsewhere does not tell them, so it is not asked: `on` is false then. */
export function useRefusals(on = true): Followed {
  const [followed, setFollowed] = useState<Followed>({ known: undefined, error: undefined });
  useEffect(() => {
    if (!on) return;
    const watcher = createWatcher({
      watch: (signal) => clients.tryIt.watchRefusals({}, { signal }),
      onUpdate: (message) =>
        setFollowed((old) => {
          const known = take(old.known, message);
          return known === old.known && old.error === undefined ? old : { known, error: undefined };
        }),
      onLost: (error) => setFollowed(({ known }) => ({ known, error })),
    });
    return () => watcher.destroy();
  }, [on]);
  return followed;
}
