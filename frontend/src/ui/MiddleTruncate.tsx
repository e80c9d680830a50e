import { useLayoutEffect, useRef } from "react";
import { cx } from "../lib/cx";
import { fitMiddle } from "../lib/fitMiddle";
import css from "./MiddleTruncate.module.css";

let canvas: CanvasRenderingContext2D | null | undefined;

/** Measures in the font of an element, without laying anything out. */
function measureIn(element: HTMLElement): (text: string) => number {
  canvas ??= document.createElement("canvas").getContext("2d");
  const context = canvas;
  if (!context) return () => 0;
  const style = getComputedStyle(element);
  context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const spacing = Number.parseFloat(style.letterSpacing) || 0;
  return (text) => context.measureText(text).width + spacing * text.length;
}

/** Keeps an element's text cut to its box; one observer for each, told when the box or the fonts change. */
function keepFitted(box: HTMLElement, shown: HTMLElement, text: string): () => void {
  const fit = () => {
    const fitted = fitMiddle(text, box.clientWidth, measureIn(shown));
    if (shown.textContent !== fitted) shown.textContent = fitted;
    box.title = fitted === text ? "" : text;
  };
  const observer = new ResizeObserver(fit);
  observer.observe(box);
  fit();
  document.fonts.addEventListener("loadingdone", fit);
  return () => {
    observer.disconnect();
    document.fonts.removeEventListener("loadingdone", fit);
  };
}

export interface MiddleTruncateProps {
  text: string;
  className?: string;
}

/** One line of text whose middle gives way when there is no room; the whole is in its tooltip. */
export function MiddleTruncate({ text, className }: MiddleTruncateProps) {
  const box = useRef<HTMLSpanElement>(null);
  const shown = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    return box.current && shown.current ? keepFitted(box.current, shown.current, text) : undefined;
  }, [text]);
  return (
    <span ref={box} className={cx(css.box, className)}>
      {/* Gives the box the width of the whole text, and readers the whole name. */}
      <span className={css.whole}>{text}</span>
      <span ref={shown} className={css.shown} aria-hidden="true" />
    </span>
  );
}
