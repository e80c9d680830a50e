import { type ComponentProps, forwardRef, type ReactNode } from "react";
import { cx } from "../lib/cx";
import css from "./TextField.module.css";

export interface TextFieldProps extends ComponentProps<"input"> {
  icon?: ReactNode;
  /** After the text: a button that clears it, a unit. */
  trailing?: ReactNode;
  invalid?: boolean;
}

/** A one-line text field, 28 px high. Give it a label or an aria-label. */
export const TextField = forwardRef<HTMLInputElement, TextFieldProps>(function TextField(props, ref) {
  const { icon, trailing, invalid, className, ...rest } = props;
  return (
    <span className={cx(css.field, invalid && css.invalid, className)}>
      {icon}
      <input
        ref={ref}
        className={css.input}
        aria-invalid={invalid}
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        {...rest}
      />
      {trailing}
    </span>
  );
});
