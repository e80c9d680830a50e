import { useLayoutEffect, useRef } from "react";
import { keepFitted } from "./fitted";
import css from "./Unbroken.module.css";

/** From so many letters on a word may have no room in a narrow place. */
const LONG = 12;

/** A sentence of which no word is broken in two: one without room gives its middle away, and is whole in its tooltip. */
export function Unbroken({ text }: { text: string }) {
  return text.split(/(\s+)/).map((word, index) =>
    word.trim() === "" || word.length < LONG ? (
      word
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the words of a sentence have no other name
      <Word key={index} text={word} />
    ),
  );
}

function Word({ text }: { text: string }) {
  const box = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => (box.current ? keepFitted(box.current, text) : undefined), [text]);
  return (
    <span ref={box} className={css.word}>
      <span className={css.whole}>{text}</span>
      <span className={css.shown} aria-hidden="true" data-shown={text} />
    </span>
  );
}
