import { useEffect, useMemo, useState } from "react";
import { type Cells, cellsOf, type Grid, near, type Shown } from "./source";

export type Read = {
  /** Of another grid while the wanted one is being read; undefined before the first. */
  readonly cells: Cells | undefined;
  readonly pending: boolean;
  readonly error: unknown;
};

type Far = { readonly of: Shown; readonly cells: Cells } | undefined;

/** The elements of a grid, read where they are not in the page. Give the same grid object for as long as it is the same. */
export function useCells(shown: Shown, grid: Grid): Read {
  const here = useMemo(() => (shown.values ? near(shown.values, grid) : undefined), [shown, grid]);
  const [far, setFar] = useState<Far>();
  const [failure, setFailure] = useState<{ readonly grid: Grid; readonly error: unknown }>();
  const { read, datatype } = shown;
  useEffect(() => {
    if (!read) return;
    let wanted = true;
    read(grid).then(
      (part) => wanted && setFar({ of: shown, cells: cellsOf(datatype, grid, part) }),
      (error: unknown) => wanted && setFailure({ grid, error }),
    );
    return () => {
      wanted = false;
    };
  }, [read, datatype, grid, shown]);
  if (here) return { cells: here, pending: false, error: undefined };
  const cells = far?.of === shown ? far.cells : undefined;
  const error = failure?.grid === grid ? failure.error : undefined;
  return { cells, pending: cells?.grid !== grid && error === undefined, error };
}
