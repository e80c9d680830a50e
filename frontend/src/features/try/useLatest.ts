import { useEffect, useRef, useState } from "react";

type Work<T> = () => Promise<T>;

/** How the newest work that ended came out. */
export type Outcome<T> = { readonly value?: T; readonly problem?: Error };

/**
 * Does the work that is given, again whenever it is another one. While it runs, the outcome before is shown; one work
 * runs at a time and only the newest follows, so that quick typing does not queue up.
 */
export function useLatest<T>(work: Work<T> | undefined): Outcome<T> | undefined {
  const [outcome, setOutcome] = useState<Outcome<T>>();
  const newest = useRef<Work<T>>(undefined);
  const running = useRef(false);
  useEffect(() => {
    newest.current = work;
    if (!work) setOutcome(undefined);
    else if (!running.current) void run();
    async function run() {
      running.current = true;
      let ended: Work<T> | undefined;
      while (newest.current && newest.current !== ended) {
        ended = newest.current;
        const came = await outcomeOf(ended);
        if (newest.current === ended) setOutcome(came);
      }
      running.current = false;
    }
  }, [work]);
  useEffect(() => {
    return () => {
      newest.current = undefined;
    };
  }, []);
  return work && outcome;
}

async function outcomeOf<T>(work: Work<T>): Promise<Outcome<T>> {
  try {
    return { value: await work() };
  } catch (problem) {
    return { problem: problem as Error };
  }
}
