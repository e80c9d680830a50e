import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { cx } from "../lib/cx";
import css from "./Select.module.css";

/** One choice of several, as high and with the same arrow as the buttons that open menus. */
export function Select({ className, ...select }: ComponentProps<"select">) {
  return (
    <span className={cx(css.box, className)}>
      <select className={css.select} {...select} />
      <ChevronDown aria-hidden="true" />
    </span>
  );
}
