/** A tensor as a picture: darkest to brightest value, with what the numbers are. */
import { useEffect, useMemo, useRef } from "react";
import { grouped, significant } from "../../lib/format";
import type { ImageShape } from "../../lib/image";
import { notFiniteKinds, notFinitePhrase, type Stats, stats } from "../../lib/tensor-stats";
import { paint, sample } from "./paint";
import { run, runAt, type Shown } from "./source";
import css from "./tensor.module.css";
import { useCells } from "./useCells";

type Props = { readonly shown: Shown; readonly picture: ImageShape; readonly item: number };

export function ImageView({ shown, picture, item }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const one = picture.width * picture.height * picture.channels;
  const grid = useMemo(() => runAt(item * one, one), [item, one]);
  const { cells } = useCells(shown, grid);
  const values = useMemo(() => cells && run(cells), [cells]);
  const summary = useMemo(() => values && stats(values), [values]);
  const range = summary?.range;
  const phrase = summary ? notFinitePhrase(summary) : "";
  const { datatype } = shown;
  useEffect(() => {
    if (canvas.current && values && range)
      paint(
        canvas.current,
        { values, datatype, shape: picture, range },
        phrase !== "" && picture.channels !== 1,
      );
  }, [values, datatype, picture, range, phrase]);
  if (!values) return null;
  if (!summary || shown.count < one) return <div className={css.note}>No values to show as a picture.</div>;
  if (!range) return <div className={css.notFinite}>No finite value to show as a picture: {phrase}.</div>;
  return (
    <div>
      <div className={css.picture}>
        <canvas
          ref={canvas}
          width={picture.width}
          height={picture.height}
          role="img"
          aria-label="The tensor as a picture"
        />
      </div>
      {phrase && <NotFinite summary={summary} phrase={phrase} picture={picture} />}
      <dl className={css.facts}>
        <dt>min</dt>
        <dd>{significant(range.min)}</dd>
        <dt>mean</dt>
        <dd>{significant(range.mean)}</dd>
        <dt>max</dt>
        <dd>{significant(range.max)}</dd>
        <dt>zeros</dt>
        <dd>
          {grouped(range.zeros)} of {grouped(one)}
        </dd>
      </dl>
    </div>
  );
}

type NotFiniteProps = { readonly summary: Stats; readonly phrase: string; readonly picture: ImageShape };

/** How many values are not finite, and the colours of their pixels. */
function NotFinite({ summary, phrase, picture }: NotFiniteProps) {
  return (
    <div className={css.notFinite}>
      {phrase}
      {notFiniteKinds
        .filter((kind) => summary.notFinite[kind] > 0)
        .map((kind) => (
          <span key={kind} className={css.sample}>
            <i style={{ background: sample(kind, picture) }} />
            {kind}
          </span>
        ))}
    </div>
  );
}
