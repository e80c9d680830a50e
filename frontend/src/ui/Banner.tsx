import type { ReactNode } from "react";
import { cx } from "../lib/cx";
import css from "./Banner.module.css";

export interface BannerProps {
  /** warn and err interrupt a reader; a note waits for its turn. */
  tone?: "warn" | "err" | "note";
  icon?: ReactNode;
  label?: string;
  /** The buttons, at the end. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A strip above what it is about. It stays for as long as what it says is so. */
export function Banner({ tone = "warn", icon, label, actions, children }: BannerProps) {
  return (
    <section
      className={cx(css.banner, css[tone])}
      role={tone === "note" ? "status" : "alert"}
      aria-label={label}
    >
      {icon}
      <p className={css.text}>{children}</p>
      {actions && <div className={css.actions}>{actions}</div>}
    </section>
  );
}
