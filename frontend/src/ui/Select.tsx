import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { cx } from "../lib/cx";
import css from "./Select.module.css";

interface SelectProps extends ComponentProps<"select"> {
  /** Stands before it. */
  label: string;
}

/** One choice of several, as high and with the same arrow as the buttons that open menus. */
export function Select({ label, className, ...select }: SelectProps) {
  return (
    <label className={cx(css.label, className)}>
      {label}
      <span className={css.box}>
        <select className={css.select} {...select} />
        <ChevronDown aria-hidden="true" />
      </span>
    </label>
  );
}
