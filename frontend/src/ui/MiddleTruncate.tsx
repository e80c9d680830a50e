import { useLayoutEffect, useRef } from "react";
import { cx } from "../lib/cx";
import { visibleName } from "../lib/visible";
import { keepFitted } from "./fitted";
import css from "./MiddleTruncate.module.css";

export interface MiddleTruncateProps {
  text: string;
  className?: string;
}

/** An identifier: one line of text in the mono face whose middle gives way when there is no room; the whole is in its tooltip. */
export function MiddleTruncate({ text: raw, className }: MiddleTruncateProps) {
  const text = visibleName(raw);
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
