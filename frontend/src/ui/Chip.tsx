import type { ComponentProps, ReactNode } from "react";
import { cx } from "../lib/cx";
import css from "./Chip.module.css";

export type Tone = "neutral" | "ok" | "warn" | "err" | "accent";

export interface ChipProps extends ComponentProps<"span"> {
  tone?: Tone;
  icon?: ReactNode;
}

/** A short fact about what stands beside it. */
export function Chip({ tone = "neutral", icon, className, children, ...rest }: ChipProps) {
  return (
    <span className={cx(css.chip, css[tone], className)} {...rest}>
      {icon}
      <span className={css.text}>{children}</span>
    </span>
  );
}
