import { useEffect, useState } from "react";

const everyMs = 100;

/** Milliseconds since a moment, as time passes; undefined without one. */
export function useElapsed(since: number | undefined): number | undefined {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (since === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [since]);
  return since === undefined ? undefined : Math.max(0, now - since);
}
