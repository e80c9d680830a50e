import { type RefObject, useCallback, useLayoutEffect, useState } from "react";

/** Whether an element has more in it than it shows, as it changes: only then it is a stop for the Tab key. */
export function useOverflows(ref: RefObject<HTMLElement | null>): boolean {
  const [overflows, setOverflows] = useState(false);
  const measure = useCallback(() => {
    const element = ref.current;
    if (element) setOverflows(element.scrollHeight > element.clientHeight + 1);
  }, [ref]);
  useLayoutEffect(measure); // another text may be longer
  // One observer for all renders: a new one in answer to a new size has the browser report a loop.
  useLayoutEffect(() => {
    if (!ref.current) return;
    const sizes = new ResizeObserver(measure);
    sizes.observe(ref.current);
    return () => sizes.disconnect();
  }, [ref, measure]);
  return overflows;
}
