/** Which columns of a table that scrolls sideways are in sight. */
import { type RefObject, useLayoutEffect, useState } from "react";

type Columns = { readonly first: number; readonly last: number; readonly more: boolean };

/** The first and the last column that are whole in sight, and whether some are beyond the right edge; undefined where all are in sight. */
export function useColumnsInSight(box: RefObject<HTMLElement | null>, of: unknown): Columns | undefined {
  const [columns, setColumns] = useState<Columns>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another table has other columns
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      const next = columnsInSight(element);
      setColumns((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    };
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    measure();
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, [box, of]);
  return columns;
}

function columnsInSight(box: HTMLElement): Columns | undefined {
  if (box.scrollWidth <= box.clientWidth + 1) return undefined;
  const heads = [...box.querySelectorAll<HTMLElement>("thead th")];
  const head = box.querySelector("tbody th") ? heads.shift() : undefined; // a single line has none of its own
  const left = box.scrollLeft + (head?.offsetWidth ?? 0); // the head of the rows stays, and lies over the rest
  const right = box.scrollLeft + box.clientWidth;
  const seen = heads.flatMap(({ offsetLeft, offsetWidth }, at) =>
    offsetLeft >= left - 1 && offsetLeft + offsetWidth <= right + 1 ? [at] : [],
  );
  const last = seen.at(-1);
  if (last === undefined) return undefined;
  return { first: seen[0] as number, last, more: last < heads.length - 1 };
}
