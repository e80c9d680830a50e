import type { ReactNode } from "react";
import css from "./Centre.module.css";

/** The only thing on a page, or on a part of it. */
export function Centre({ children }: { readonly children: ReactNode }) {
  return <div className={css.centre}>{children}</div>;
}
