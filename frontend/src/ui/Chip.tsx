import type { ComponentProps, ReactNode } from "react";
import { cx } from "../lib/cx";
import css from "./Chip.module.css";
import { useReach } from "./reach";

export type Tone = "neutral" | "ok" | "warn" | "err" | "accent";

export interface ChipProps extends ComponentProps<"span"> {
  tone?: Tone;
  icon?: ReactNode;
}

/** A short fact about what is beside it. It has no colour while it may be old. */
export function Chip({ tone = "neutral", icon, className, children, ...rest }: ChipProps) {
  const reach = useReach();
  return (
    <span className={cx(css.chip, css[reach ? tone : "neutral"], className)} {...rest}>
      {icon}
      <span className={css.text}>{children}</span>
    </span>
  );
}
