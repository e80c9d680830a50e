import { type KeyboardEvent, type RefObject, useState } from "react";

/** The step that a key goes in a list. */
const stepOf = ({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent) => {
  if (altKey || ctrlKey || metaKey || shiftKey) return 0;
  return key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
};

/** One row is reached with Tab, at its button with `data-index`; the arrow keys go on from there, also to rows that are not drawn yet. */
export function useRowFocus(
  rows: RefObject<HTMLElement | null>,
  count: number,
  scrollTo?: (index: number) => void,
) {
  const [at, setAt] = useState(0);
  const button = (index: number) => rows.current?.querySelector<HTMLElement>(`button[data-index="${index}"]`);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event);
    const next = Math.min(Math.max(at + step, 0), count - 1);
    if (step === 0 || next === at || event.defaultPrevented) return;
    event.preventDefault();
    setAt(next);
    scrollTo?.(next);
    requestAnimationFrame(() => button(next)?.focus());
  };
  return { at: Math.min(at, Math.max(count - 1, 0)), setAt, onKeyDown };
}
