/** A tensor as a picture: darkest to brightest value, with what the numbers are. */
import { useEffect, useMemo, useRef } from "react";
import { grouped, significant } from "../../lib/format";
import type { ImageShape } from "../../lib/image";
import { elementCount } from "../../lib/tensor";
import { stats } from "../../lib/tensor-stats";
import { paint } from "./paint";
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
  useEffect(() => {
    if (canvas.current && values && summary) paint(canvas.current, values, picture, summary);
  }, [values, picture, summary]);
  if (!values) return null;
  if (!summary || shown.count < elementCount([picture.width, picture.height, picture.channels])) {
    return <div className={css.note}>No finite values to show as a picture.</div>;
  }
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
      <dl className={css.facts}>
        <dt>min</dt>
        <dd>{significant(summary.min)}</dd>
        <dt>mean</dt>
        <dd>{significant(summary.mean)}</dd>
        <dt>max</dt>
        <dd>{significant(summary.max)}</dd>
        <dt>zeros</dt>
        <dd>
          {grouped(summary.zeros)} of {grouped(one)}
        </dd>
      </dl>
    </div>
  );
}
