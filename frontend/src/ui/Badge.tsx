import { cx } from "../lib/cx";
import css from "./Badge.module.css";

export interface BadgeProps {
  count: number;
  tone?: "err" | "warn" | "neutral";
  /** What is counted, for screen readers: "2 errors". */
  label: string;
}

/** A count that stands out. Nothing for zero. */
export function Badge({ count, tone = "neutral", label }: BadgeProps) {
  if (count === 0) return null;
  return (
    <span className={cx(css.badge, css[tone])} role="img" aria-label={label} title={label}>
      {count > 999 ? "999+" : count}
    </span>
  );
}
