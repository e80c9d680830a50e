import type { ReactNode } from "react";
import css from "./Rows.module.css";

/** Things in a dialog, one below the other. */
export function Rows({ children }: { readonly children: ReactNode }) {
  return <ul className={css.list}>{children}</ul>;
}

interface RowProps {
  /** What it is: a name in `strong`, then lines, small print in `small`. */
  readonly what: ReactNode;
  /** The buttons beside it. */
  readonly children?: ReactNode;
}

export function Row({ what, children }: RowProps) {
  return (
    <li className={css.row}>
      <div className={css.what}>{what}</div>
      {children}
    </li>
  );
}
