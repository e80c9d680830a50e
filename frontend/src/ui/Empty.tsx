import type { ReactNode } from "react";
import css from "./Empty.module.css";

export interface EmptyProps {
  icon?: ReactNode;
  title: string;
  /** What this place is for, or how it fills. */
  children?: ReactNode;
  /** One action. */
  action?: ReactNode;
}

/** What stands where there is nothing yet. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className={css.empty}>
      {icon && <div className={css.icon}>{icon}</div>}
      <h2 className={css.title}>{title}</h2>
      {children && <div className={css.text}>{children}</div>}
      {action && <div className={css.action}>{action}</div>}
    </div>
  );
}
