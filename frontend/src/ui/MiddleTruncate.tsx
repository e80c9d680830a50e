import { useLayoutEffect, useRef, useState } from "react";
import { cx } from "../lib/cx";
import css from "./MiddleTruncate.module.css";

/** How much of the end always stays: long names of models and tensors differ at their ends. */
const TAIL = 8;

export interface MiddleTruncateProps {
  text: string;
  className?: string;
}

/** One line of text whose middle gives way when there is no room; the whole is in its tooltip. */
export function MiddleTruncate({ text, className }: MiddleTruncateProps) {
  const head = useRef<HTMLSpanElement>(null);
  const [cut, setCut] = useState(false);
  useLayoutEffect(() => {
    const element = head.current;
    if (element) setCut(element.scrollWidth > element.clientWidth + 1);
  });
  if (text.length <= TAIL * 2) {
    return (
      <span className={cx(css.short, className)} title={text}>
        {text}
      </span>
    );
  }
  return (
    <span className={cx(css.line, className)} title={cut ? text : undefined}>
      <span className="visually-hidden">{text}</span>
      <span ref={head} className={css.head} aria-hidden="true">
        {text.slice(0, -TAIL)}
      </span>
      <span className={css.tail} aria-hidden="true">
        {text.slice(-TAIL)}
      </span>
    </span>
  );
}
