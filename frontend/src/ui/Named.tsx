import { cx } from "../lib/cx";
import { visible } from "../lib/visible";
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
            {visible(part)}
          </span>
        ) : (
          visible(part)
        ),
      )}
    </span>
  );
}

/** The text, cut before and after each name. */
function parts(text: string, names: readonly string[]): { part: string; isName: boolean }[] {
  const spots = names
    .map((name) => ({ name, at: name === "" ? -1 : text.indexOf(name) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  let end = 0;
  const all: { part: string; isName: boolean }[] = [];
  for (const { name, at } of spots) {
    if (at < end) continue; // it is a part of the name before
    all.push({ part: text.slice(end, at), isName: false }, { part: name, isName: true });
    end = at + name.length;
  }
  all.push({ part: text.slice(end), isName: false });
  return all.filter(({ part }) => part !== "");
}
