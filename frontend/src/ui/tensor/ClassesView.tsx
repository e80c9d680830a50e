/** Scores of classes, best first, with their labels. */
import { useMemo } from "react";
import { significant } from "../../lib/format";
import type { Values } from "../../lib/tensor";
import {
  looksLikeProbabilities,
  notFiniteKind,
  notFinitePhrase,
  stats,
  topIndices,
} from "../../lib/tensor-stats";
import { visible } from "../../lib/visible";
import { run, runAt, type Shown } from "./source";
import css from "./tensor.module.css";
import { useCells } from "./useCells";

const shownClasses = 5;
const least = 0.001; // a probability below it has no digit to show

type Props = { readonly shown: Shown; readonly classes: number; readonly item: number };

export function ClassesView({ shown, classes, item }: Props) {
  const grid = useMemo(() => runAt(item * classes, classes), [item, classes]);
  const { cells } = useCells(shown, grid);
  const values = useMemo(() => cells && run(cells), [cells]);
  return values ? <Ranked shown={shown} classes={classes} values={values} /> : null;
}

type RankedProps = { readonly shown: Shown; readonly classes: number; readonly values: Values };

function Ranked({ shown, classes, values }: RankedProps) {
  const likely = looksLikeProbabilities(values);
  const ranked = topIndices(values, shownClasses + 1);
  const score = (i: number) => Number(values.at(i));
  // What would read 0.000 is counted below; the best class is always listed.
  const best = ranked
    .slice(0, shownClasses)
    .filter((i, place) => place === 0 || !likely || score(i) >= least);
  const top = Math.max(...best.map((i) => Math.abs(score(i))).filter(Number.isFinite), 1e-12);
  const rest = classes - best.length;
  const winner = winnerOf(ranked, score);
  const summary = stats(values);
  const notFinite = summary ? notFinitePhrase(summary) : "";
  return (
    <div>
      <ol className={css.classes} aria-label="Classes, best first">
        {best.map((i) => (
          <li key={i}>
            <span className={css.classLabel} title={nameOf(shown, i) ?? `The class at index [${i}]`}>
              {nameOf(shown, i) ?? `[${i}]`}
            </span>
            <span className={css.track}>
              <i data-best={i === winner} style={{ width: `${barOf(score(i), likely ? 1 : top)}%` }} />
            </span>
            <span className={css.score}>{likely ? score(i).toFixed(3) : scoreText(score(i))}</span>
          </li>
        ))}
      </ol>
      {rest > 0 && (
        <div className={css.note}>{restPhrase(rest, score(ranked[best.length] ?? 0), likely)}</div>
      )}
      {notFinite && <div className={css.notFinite}>{notFinite}</div>}
    </div>
  );
}

const nameOf = ({ labels }: Shown, i: number): string | undefined =>
  labels[i] === undefined ? undefined : visible(labels[i]);

const scoreText = (value: number) => notFiniteKind(value) ?? significant(value);

/** How far the bar of a score goes, in per cent, beside the greatest finite one. */
function barOf(value: number, top: number): number {
  return Number.isNaN(value) ? 0 : Math.min(100, Math.max(0, (value / top) * 100));
}

/** The class whose score is above all others; undefined where the highest scores are equal. */
function winnerOf([first, second]: readonly number[], score: (i: number) => number): number | undefined {
  const tied = first !== undefined && second !== undefined && score(first) === score(second);
  return tied || first === undefined || Number.isNaN(score(first)) ? undefined : first;
}

/** What is known of the classes that are not listed, from the best of them. */
function restPhrase(rest: number, next: number, likely: boolean): string {
  const classes = `${rest} more ${rest === 1 ? "class" : "classes"}`;
  if (Number.isNaN(next)) return classes; // nothing above them is known
  if (!likely) return `${classes}, at most ${scoreText(next)}`;
  return next < least ? `${classes} below 0.001` : `${classes}, at most ${next.toFixed(3)}`;
}
