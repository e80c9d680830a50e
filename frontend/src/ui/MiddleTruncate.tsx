import { useLayoutEffect, useRef } from "react";
import { cx } from "../lib/cx";
import { fitMiddle } from "../lib/fitMiddle";
import { visible } from "../lib/visible";
import css from "./MiddleTruncate.module.css";

/** Boxes end at fractions of a pixel, which engines round each in their own way. */
const TOLERANCE = 1;

let canvas: CanvasRenderingContext2D | null | undefined;

/**
 * Measures in the font of an element without laying anything out. A canvas knows nothing of font features
 * (tabular figures are wider), so it is set right by the whole text, which is laid out.
 */
function measureIn(element: HTMLElement, text: string, width: number): (part: string) => number {
  canvas ??= document.createElement("canvas").getContext("2d");
  const context = canvas;
  if (!context) return () => 0;
  const style = getComputedStyle(element);
  context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const scale = width / (context.measureText(text).width || 1);
  return (part) => context.measureText(part).width * scale;
}

/** Keeps what is shown cut to the box; one observer for each, told when the box or the fonts change. */
function keepFitted(box: HTMLElement, text: string): () => void {
  const [whole, shown] = box.children as unknown as [HTMLElement, HTMLElement];
  const refit = () => {
    const room = box.getBoundingClientRect().width;
    const width = whole.getBoundingClientRect().width;
    const fitted = width <= room + TOLERANCE ? text : fitMiddle(text, room, measureIn(whole, text, width));
    if (shown.textContent !== fitted) shown.textContent = fitted;
    box.title = fitted === text ? "" : text;
  };
  const observer = new ResizeObserver(refit);
  observer.observe(box);
  refit();
  // Before the fonts are there another one was measured; WebKit tells only the promise when they were cached.
  document.fonts.addEventListener("loadingdone", refit);
  let gone = false;
  void document.fonts.ready.then(() => gone || refit());
  return () => {
    gone = true;
    observer.disconnect();
    document.fonts.removeEventListener("loadingdone", refit);
  };
}

export interface MiddleTruncateProps {
  text: string;
  className?: string;
}

/** One line of text whose middle gives way when there is no room; the whole is in its tooltip. */
export function MiddleTruncate({ text: raw, className }: MiddleTruncateProps) {
  const text = visible(raw);
  const box = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => (box.current ? keepFitted(box.current, text) : undefined), [text]);
  return (
    <span ref={box} className={cx(css.box, className)}>
      {/* Gives the box the width of the whole text, and readers the whole name. */}
      <span className={css.whole}>{text}</span>
      <span className={css.shown} aria-hidden="true" />
    </span>
  );
}
