import { startTransition, useEffect, useState } from "react";

const first = 24; // more than a screen holds
const more = 24;

/** How much of a long list is shown: at once what fills the screen, the rest piece by piece between frames. */
export function useGrowing(length: number): number {
  const [shown, setShown] = useState(first);
  useEffect(() => {
    if (shown >= length) return;
    const timer = setTimeout(() => startTransition(() => setShown(shown + more)));
    return () => clearTimeout(timer);
  }, [shown, length]);
  return Math.min(shown, length);
}
