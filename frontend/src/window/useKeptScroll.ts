import { type RefCallback, type RefObject, useCallback } from "react";
import { keepScroll, scrollOf } from "./kept";

/** How long what is shown may take to become as long as it was. */
const GROWS_FOR_MS = 3_000;

/** Takes an element back to where it was, as soon as it is long enough, and remembers where it is from then on. */
export function followScroll(element: HTMLElement, name: string): () => void {
  const wanted = scrollOf(name);
  let going = wanted > 0;
  const arrive = () => {
    going = false;
    grown.disconnect();
    clearTimeout(timer);
  };
  const go = () => {
    if (!going) return;
    element.scrollTop = wanted;
    if (Math.abs(element.scrollTop - wanted) <= 1) arrive();
  };
  const grown = new MutationObserver(go);
  const timer = setTimeout(arrive, GROWS_FOR_MS);
  const note = () => {
    if (!going) keepScroll(name, element.scrollTop);
  };
  element.addEventListener("scroll", note, { passive: true });
  // A user who scrolls wants to be elsewhere.
  for (const input of ["wheel", "pointerdown", "keydown"]) element.addEventListener(input, arrive);
  if (going) grown.observe(element, { childList: true, subtree: true, attributeFilter: ["style"] });
  go();
  return () => {
    arrive();
    element.removeEventListener("scroll", note);
    for (const input of ["wheel", "pointerdown", "keydown"]) element.removeEventListener(input, arrive);
  };
}

/** A ref for an element that scrolls and comes back, under a name, to where it was. `also` is a ref of the component's own. */
export function useKeptScroll<T extends HTMLElement>(
  name: string,
  also?: RefObject<T | null>,
): RefCallback<T> {
  return useCallback(
    (element: T) => {
      if (also) also.current = element;
      const stop = followScroll(element, name);
      return () => {
        stop();
        if (also) also.current = null;
      };
    },
    [name, also],
  );
}
