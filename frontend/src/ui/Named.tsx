import { cx } from "../lib/cx";
import { visible, visibleName } from "../lib/visible";
import css from "./Named.module.css";

interface NamedProps {
  text: string;
  /** The identifiers in it, each whole. */
  names: readonly string[];
  className?: string;
}

/** A sentence whose identifiers are set in the mono face, as they are everywhere. */
export function Named({ text, names, className }: NamedProps) {
  return (
    <span className={cx(css.text, className)}>
      {parts(text, names).map(({ part, isName }, index) =>
        isName ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no other name
          <span key={index} className={css.name}>
            {visibleName(part)}
          </span>
        ) : (
          visible(part)
        ),
      )}
    </span>
  );
}

interface Spot {
  readonly at: number;
  readonly end: number;
}

/** Whether a place is a word of its own, and not a part of one: a model may be called "a". */
const isWord = (text: string, { at, end }: Spot): boolean =>
  !/\w\w/.test(text.slice(Math.max(0, at - 1), at + 1)) && !/\w\w/.test(text.slice(end - 1, end + 1));

/** The first place of a name that no other has. */
function place(text: string, name: string, taken: readonly Spot[]): Spot | undefined {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const spot = { at, end: at + name.length };
    if (isWord(text, spot) && !taken.some((other) => spot.at < other.end && other.at < spot.end)) return spot;
  }
  return undefined;
}

/** The text, cut before and after each name. A name that is a part of another one comes after it. */
export function parts(text: string, names: readonly string[]): { part: string; isName: boolean }[] {
  const spots: Spot[] = [];
  for (const name of names.filter((one) => one !== "").toSorted((a, b) => b.length - a.length)) {
    const spot = place(text, name, spots);
    if (spot) spots.push(spot);
  }
  let from = 0;
  const all: { part: string; isName: boolean }[] = [];
  for (const { at, end } of spots.sort((a, b) => a.at - b.at)) {
    all.push({ part: text.slice(from, at), isName: false }, { part: text.slice(at, end), isName: true });
    from = end;
  }
  all.push({ part: text.slice(from), isName: false });
  return all.filter(({ part }) => part !== "");
}
