import type { ReactNode } from "react";
import css from "./Bar.module.css";

/** The strip at the head of a pane: what it is at the left, what can be done at the right. */
export function Bar({ children, actions }: { children: ReactNode; actions?: ReactNode }) {
  return (
    <div className={css.bar}>
      {children}
      {actions && <span className={css.actions}>{actions}</span>}
    </div>
  );
}
