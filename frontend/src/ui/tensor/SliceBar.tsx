/** The bar above a large table: which slice is shown, and its pages. */
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useState } from "react";
import { Button } from "../Button";
import { isTooDeep, type Layout } from "./layout";
import { most } from "./pages";
import { flatIndex, parseSlice, type Range, sliceText } from "./slices";
import css from "./tensor.module.css";

type Props = {
  readonly shape: readonly number[];
  readonly ranges: readonly Range[];
  readonly layout: Layout;
  readonly row: number;
  readonly column: number;
  readonly onSlice: (ranges: readonly Range[]) => void;
  readonly onGoTo: (flat: number) => void;
  readonly onPage: (next: { row: number } | { column: number }) => void;
};

export function SliceBar({ layout, row, column, onPage, ...slice }: Props) {
  const { rows, columns, wrapped, count, from } = layout;
  const elements = (r: number) => from + r * columns;
  return (
    <div className={css.slices}>
      <SliceField {...slice} />
      <Pager
        what={wrapped ? "elements" : "rows"}
        at={row}
        size={most.rows}
        all={rows}
        text={
          wrapped
            ? rangeText(elements(row), Math.min(elements(row + most.rows), from + count), from + count)
            : rangeText(row, Math.min(row + most.rows, rows), rows)
        }
        onChange={(next) => onPage({ row: next })}
      />
      {!wrapped && (
        <Pager
          what="columns"
          at={column}
          size={most.columns}
          all={columns}
          text={rangeText(column, Math.min(column + most.columns, columns), columns)}
          onChange={(next) => onPage({ column: next })}
        />
      )}
    </div>
  );
}

/** The places of a page, counted from 1. */
const rangeText = (from: number, to: number, all: number) =>
  `${(from + 1).toLocaleString("en")} to ${to.toLocaleString("en")} of ${all.toLocaleString("en")}`;

function SliceField({
  shape,
  ranges,
  onSlice,
  onGoTo,
}: Pick<Props, "shape" | "ranges" | "onSlice" | "onGoTo">) {
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState("");
  const shown = sliceText(ranges, shape);
  const take = (text: string | undefined) => {
    if (text === undefined) return;
    try {
      const next = parseSlice(text, shape);
      if (next.every(({ single }) => single))
        onGoTo(
          flatIndex(
            next.map(({ from }) => from),
            shape,
          ),
        );
      else if (isTooDeep(shape, next))
        throw new Error("A table has rows and columns: write one index for each other axis");
      else onSlice(next);
      setTyped(undefined);
      setProblem("");
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <form
      className={css.slice}
      onSubmit={(event) => {
        event.preventDefault();
        take(typed ?? shown); // Enter shows the slice from its beginning, also one that is written already
      }}
    >
      <input
        aria-label="Slice or index"
        title="A slice as in numpy, such as [0, :, 10:20], or the index of one element to go to. Indices begin at 0."
        aria-invalid={problem !== ""}
        spellCheck={false}
        value={typed ?? shown}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => take(typed)}
      />
      {problem && (
        <span className={css.error} role="alert">
          {problem}
        </span>
      )}
    </form>
  );
}

type PagerProps = {
  readonly what: string;
  readonly at: number;
  readonly size: number;
  readonly all: number;
  readonly text: string;
  readonly onChange: (at: number) => void;
};

function Pager({ what, at, size, all, text, onChange }: PagerProps) {
  if (all <= size) return null;
  return (
    <span className={css.pager}>
      <Button
        small
        look="ghost"
        icon={<ChevronLeft />}
        aria-label={`The ${what} before`}
        disabled={at === 0}
        onClick={() => onChange(Math.max(0, at - size))}
      />
      <span>
        {what} {text}
      </span>
      <Button
        small
        look="ghost"
        icon={<ChevronRight />}
        aria-label={`The next ${what}`}
        disabled={at + size >= all}
        onClick={() => onChange(at + size)}
      />
    </span>
  );
}
