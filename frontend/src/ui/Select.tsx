import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { cx } from "../lib/cx";
import css from "./Select.module.css";

interface SelectProps extends ComponentProps<"select"> {
  /** Stands before it. */
  label: string;
  /** The label is for screen readers alone: something else says it to the eye. */
  hideLabel?: boolean;
  /** As high as small buttons. */
  small?: boolean;
}

/** One choice of several, as high and with the same arrow as the buttons that open menus. */
export function Select({ label, hideLabel, small, className, ...select }: SelectProps) {
  return (
    <label className={cx(css.label, className)}>
      {hideLabel ? <span className="visually-hidden">{label}</span> : label}
      <span className={css.box}>
        <select className={cx(css.select, small && css.small)} {...select} />
        <ChevronDown aria-hidden="true" />
      </span>
    </label>
  );
}
