import css from "./Breakable.module.css";

const ends = /(\s+|(?<=\w[_/.,:-])(?=[^\W\d]))/;

/**
 * A text whose lines end between words, or in an identifier after a sign such as _ or /. A word without room ends in an
 * ellipsis: where it stands, a tooltip has the whole.
 */
export function Breakable({ text }: { text: string }) {
  return text.split(ends).map((part, index) =>
    part.trim() === "" ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
      <span key={index} className={css.word}>
        {part}
      </span>
    ),
  );
}
